// The words in which the parts of the HTML report speak of a group.
#pragma once

#include <string>
#include <string_view>

#include "report/run_report.h"

namespace cadre::report {

// "finished", "failed", "deleted", "running", "pending", "never": also the CSS class of the state.
std::string_view StateWord(const GroupRow& row);

// With the namespace where not all groups are in "default"; cut when very long. Not escaped.
std::string NameOf(const GroupRow& row, bool with_namespace);
bool NeedNamespaces(const RunReport& report);

// "waits 3m 40s, runs 4m – 5m, finished". Not escaped.
std::string StoryOf(const GroupRow& row, Duration end);

// 12345 -> "12,345".
std::string Grouped(std::size_t number);

// "1 group", "12,345 groups".
std::string Count(std::size_t number, std::string_view one);

// <section> with its heading; `lead` (HTML) says in a line how to read it, and may be empty.
std::string Section(std::string_view id, std::string_view title, std::string_view lead,
                    std::string_view body);

}  // namespace cadre::report

// Text from outside, made safe to stand in HTML: names and messages come from whoever wrote the manifests.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cadre::report {

// For element content and for attribute values in double quotes. & < > " ' become references; control
// characters other than tab and line end, and bytes that are not UTF-8, become U+FFFD.
std::string Escape(std::string_view text);

// The same, of no more of `text` than gives `bytes` of HTML; ended with "…" when that is not all of it.
std::string EscapeCut(std::string_view text, std::size_t bytes);

// At most `bytes` of text, cut between characters and ended with "…" when it is longer. Not escaped.
std::string CutText(std::string_view text, std::size_t bytes);

}  // namespace cadre::report

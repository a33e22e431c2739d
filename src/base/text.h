// Small text helpers for messages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre {

// "a,b,,c" split at ',' -> {"a", "b", "", "c"}. The views point into `text`.
std::vector<std::string_view> Split(std::string_view text, char separator);

// Without blanks, tabs and line ends on either side.
std::string_view Trim(std::string_view text);

// ASCII letters made small; everything else stays.
std::string Lower(std::string_view text);

// "n1, n2, …": the first `most` of the names, and a sign when there are others.
std::string SomeOf(std::span<const std::string> names, std::size_t most);

// "n1, n2 and 3 more": the first `most` of the names, and how many others there are.
std::string FirstAndMore(std::span<const std::string> names, std::size_t most);

// "1 node", "3 nodes". `many` where adding an s is wrong.
std::string Quantify(std::int64_t count, std::string_view one, std::string_view many = {});

// In the largest binary unit that fits, with up to four digits: "512 B", "64 GiB", "1.5 TiB".
std::string FormatBytes(std::int64_t bytes);

// The candidate that is nearest to `word` (edit distance at most a third of its length), or empty: for "did
// you mean".
std::string_view ClosestTo(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace cadre

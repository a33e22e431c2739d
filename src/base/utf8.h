// UTF-8: whether text from outside is, and how to show text from outside in a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cadre {

// The length of the well-formed UTF-8 sequence that `text` starts with, or 0. Source: Unicode, table 3-7.
// REQUIRES: text is not empty.
std::size_t Utf8SequenceLength(std::string_view text);

// The offset of the first byte that is not part of well-formed UTF-8, or npos.
std::size_t FindInvalidUtf8(std::string_view text);

struct Utf8Error {
  std::size_t line = 0;    // 1-based
  std::size_t offset = 0;  // of the bad byte, from the start of the text
  std::string message;     // names the byte, its offset and what to do; not the line
};

// What is wrong with the text of a file; fine when it is UTF-8.
std::expected<void, Utf8Error> CheckUtf8(std::string_view text);

// Invalid bytes replaced by U+FFFD.
std::string ToValidUtf8(std::string_view text);

// One line of text from outside as a terminal may show it: what would move the cursor, change colours, start
// a line or turn the direction of reading is written out. Control characters (C0, DEL, C1), line separators
// and bidirectional controls become \n, \t, \x1b or \u202e; bytes that are not UTF-8 become \xe9.
std::string Printable(std::string_view text);

}  // namespace cadre

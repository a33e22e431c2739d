// A shell script as words and separators: enough of the grammar to find what it waits for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cadre::sim {

struct ShellToken {
  std::string text;        // without its quotes; a separator is ";" "&" "&&" "||" "|" "(" ")" "{" "}"
  bool separator = false;  // a new line is ";"
  bool quoted = false;     // some of it was quoted: it is no keyword
};

// Comments are dropped; $(...), $((...)) and `...` stay part of their word.
std::vector<ShellToken> SplitShell(std::string_view script);

}  // namespace cadre::sim

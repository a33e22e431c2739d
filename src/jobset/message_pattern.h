// Regular expressions of failure policy rules (onJobFailureMessagePatterns), which upstream reads as RE2.
//
// The part of RE2's syntax that says whether something is in a text: alternatives, groups (named ones too),
// * + ? {n,m} and their lazy forms, classes with ranges and [:names:], \d \w \s \b and their opposites,
// anchors, the flags i, s and m. Not read: \p{…}, \Q…\E, \C, octal escapes, characters beyond ASCII in a
// class, and look-around and references to groups, which RE2 has neither. Letters are folded in ASCII alone.
// Searching takes time in proportion to pattern times text, whatever the pattern. Source:
// https://github.com/google/re2/wiki/Syntax
#pragma once

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cadre::jobset {

class MessagePattern {
 public:
  // The error says what is not read, without the pattern.
  static Result<MessagePattern> Parse(std::string_view pattern);

  // Anywhere in the text.
  bool IsIn(std::string_view text) const;

  enum class Op : std::uint8_t {
    kByte,   // the next byte is in the set
    kSplit,  // go on at both
    kJump,
    kTextStart,
    kTextEnd,
    kLineStart,
    kLineEnd,
    kWordEdge,
    kNoWordEdge,
    kMatch,
  };
  struct Step {
    Op op{};
    std::bitset<256> set = {};
    int x = 1;  // where to go on, from here
    int y = 0;  // kSplit
  };

 private:
  explicit MessagePattern(std::vector<Step> steps) : steps_(std::move(steps)) {}

  std::vector<Step> steps_;
};

}  // namespace cadre::jobset

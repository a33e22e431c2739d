// A regular expression of a failure policy rule (onJobFailureMessagePatterns), in RE2's syntax as upstream's
// Go reads it. Time is linear in the text, whatever the pattern, and the memory of one is bounded. Copies
// share what was compiled. Source: https://github.com/google/re2/wiki/Syntax
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace cadre::jobset {

class MessagePattern {
 public:
  // The error is RE2's, without the pattern.
  static Result<MessagePattern> Parse(std::string_view pattern);

  // Anywhere in the text.
  bool IsIn(std::string_view text) const;

 private:
  explicit MessagePattern(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}

  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace cadre::jobset

#include "jobset/message_pattern.h"

#include <re2/re2.h>

namespace cadre::jobset {
namespace {

re2::StringPiece Piece(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

Result<MessagePattern> MessagePattern::Parse(std::string_view pattern) {
  auto compiled = std::make_shared<const re2::RE2>(Piece(pattern), re2::RE2::Quiet);
  if (!compiled->ok()) return Err("{}", compiled->error());
  return MessagePattern(std::move(compiled));
}

bool MessagePattern::IsIn(std::string_view text) const {
  return re2::RE2::PartialMatch(Piece(text), *compiled_);
}

}  // namespace cadre::jobset

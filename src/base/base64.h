// Base64 (RFC 4648, section 4: the standard alphabet, padded): how JSON and YAML carry bytes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cadre {

std::string EncodeBase64(std::string_view bytes);

// Line ends are skipped, as Go's decoder does; anything else outside of the alphabet, and wrong padding, is
// an error. The message does not repeat the text, which may be a secret.
Result<std::string> DecodeBase64(std::string_view text);

}  // namespace cadre

// Small files from outside: kubeconfigs, tokens, certificates.
// Thread rule: pure functions; they block for as long as the disk does.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace cadre::live {

// The content of a file of at most `most_bytes`. Errors name the file and the reason.
Result<std::string> ReadSmallFile(const std::string& path, std::size_t most_bytes);

// Whether there is anything at `path`: what is there but cannot be read is for ReadSmallFile to report.
bool Exists(const std::string& path);

}  // namespace cadre::live

// gzip files in memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cadre::kube {

bool IsGzip(std::string_view bytes);

// All members of a gzip file, unpacked. An error when it is broken, cut off, or larger than `limit` bytes
// unpacked.
Result<std::string> Gunzip(std::string_view bytes, std::size_t limit);

}  // namespace cadre::kube

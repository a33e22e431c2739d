// Slurm's host lists: "n[001-128,130],login1,rack[0-3]node[1-4]".
//
// Source: Slurm's documentation of hostlist expressions (scontrol show hostnames). Numbers keep the width of
// the lower bound: [08-11] is 08, 09, 10, 11.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cadre::topology {

// Most names that one list may stand for: a typing error should not take all memory.
inline constexpr std::size_t kMostHosts = 200'000;
// Most characters of one name, as for a DNS name.
inline constexpr std::size_t kMostHostName = 253;

// The names in the order written, the last bracket counting fastest. An error names the part and what is
// wrong with it. Empty text gives no names.
Result<std::vector<std::string>> ExpandHosts(std::string_view text);

}  // namespace cadre::topology

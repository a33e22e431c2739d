// Reading Cadre's own annotations, the same for every source of groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta.h"
#include "model/group.h"

namespace cadre::groups {

enum class GangMode : std::uint8_t { kUnset, kJob, kReplicatedJob, kJobSet, kNone };

// cadre.dev/gang from the first of the maps that has a known value; unknown values count as unset.
GangMode ReadGangMode(const kube::StringMap& owner, const kube::StringMap& pod_template);

// cadre.dev/min-available, a whole number > 0; anything else is as if it were not there.
std::optional<std::int32_t> ReadMinAvailable(const kube::StringMap& owner,
                                             const kube::StringMap& pod_template);

// cadre.dev/required-topology, preferred-topology, exclusive-topology and exclusive-scope. Each from the
// first of the maps that has it.
model::TopologyAsk ReadTopology(const kube::StringMap& owner, const kube::StringMap& pod_template);

// The same, with JobSet's own annotation for exclusive placement, which means each Job it stands on. Ours
// wins. `around`: of the JobSet that the Job is of: JobSet's own annotation on it means each of its Jobs, and
// cadre.dev/exclusive-scope on it holds for what its Jobs ask for unless they say otherwise.
model::TopologyAsk ReadJobTopology(const kube::StringMap& owner, const kube::StringMap& pod_template,
                                   const kube::StringMap& around = {});

// Values of our annotations that cannot be read and so count as absent, with what was expected.
std::vector<std::string> UnreadAnnotations(const kube::StringMap& annotations);

// The value at `key`, or "".
std::string_view ValueOf(const kube::StringMap& map, std::string_view key);

// The whole text as a number > 0.
std::optional<std::int32_t> ParseCount(std::string_view text);

}  // namespace cadre::groups

// How large a simulation may be: a manifest can ask for a thousand million pods in one line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "app/input.h"
#include "kube/object.h"

namespace cadre::app {

// The most pods that one run makes, those that replace failed ones aside. Each takes 22 KiB of memory and 0.5
// ms (40,000 pods of one Job, release build): 250,000 are 6 GB and two minutes.
inline constexpr std::int64_t kMostPodsOfARun = 250'000;

// The pods that this object and its controllers will make until it is complete, or 1 for a pod: completions
// (else parallelism) of a Job less what succeeded already, times replicas in a JobSet. Saturates.
std::int64_t PodsToMake(const kube::Object& object);

// Why the object alone is too large; nothing when it is not.
std::optional<std::string> TooManyPods(const kube::Object& object);

// Why the input as a whole is too large; nothing when it is not.
std::optional<std::string> TooManyPods(const SimulationInput& input);

// With how many pods, those that replace failed ones included, a run of this input is taken to restart
// without end: 10,000, and 50 for each that the input asks for; at most 500,000.
std::size_t PodsOfAnEndlessRun(const SimulationInput& input);

}  // namespace cadre::app

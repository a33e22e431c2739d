// How long a pod runs in the simulator, read from its manifest: an annotation says so, or its containers
// sleep.
//
// The sleeps of a shell script are added up as the shell would run them: lists, loops over a known number of
// words, nested `sh -c`. What depends on a condition (if, case, while something) takes no time; `while true`
// without a way out takes for ever. Anything else (python, a binary) is unknown. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "kube/pod.h"

namespace cadre::sim {

inline constexpr std::string_view kDurationAnnotation = "cadre.dev/sim-duration";  // "39s"
inline constexpr std::string_view kExitCodeAnnotation =
    "cadre.dev/sim-exit-code";  // "1": it fails at its end
inline constexpr std::string_view kFailAttemptsAnnotation =
    "cadre.dev/sim-fail-attempts";  // "2": only its first 2 runs

struct RunTime {
  std::optional<Duration> known;  // none: the manifest does not say
  bool forever = false;
};

// Of one container's argv (command, then args).
RunTime CommandRunTime(std::span<const std::string> argv);

// Of a shell script.
RunTime ScriptRunTime(std::string_view script);

struct RunPlan {
  RunTime run;                          // one run of all containers, init containers first
  bool told = false;                    // by the annotation: then the pod ends even with restartPolicy Always
  int exit_code = 0;                    // how a run ends that fails
  std::optional<int> fail_attempts;     // only that many runs fail; none: all, when exit_code is not 0
  std::vector<std::string> complaints;  // annotations that cannot be read, and what would be right
};

// Containers run side by side and the pod as long as the longest; init containers one after the other before
// them, sidecars not at all.
RunPlan RunPlanOf(const kube::Pod& pod);

}  // namespace cadre::sim

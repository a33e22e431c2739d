// The cases: each prints its rows, and runs in a process of its own (memory and caches start empty).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cadre::bench {

struct CaseInput {
  std::string_view name;  // "gang64"
  std::size_t size = 0;   // nodes; of the growth cases what grows
  double budget_s = 8;    // CPU time after which a loop of repetitions ends early
};

// All return false, with a message on stderr, when an answer is not the one that the case is about.
bool RunState(const CaseInput& input);    // decode_cpu_s, load_cpu_s, rss_mib
bool RunRequest(const CaseInput& input);  // one kind of request: first_ms, warm_ms, quality
bool RunChurn(const CaseInput& input);    // 200 shapes coming and going
bool RunGangs(const CaseInput& input);    // 1,600 gangs through match::Finder
bool RunRebuild(const CaseInput& input);  // the same through core::Scheduler, then a new one from the API
bool RunPods(const CaseInput& input);     // 10,000 nodes with so many pods
bool RunShapes(const CaseInput& input);   // 10,000 nodes, so many live shapes
bool RunPending(const CaseInput& input);  // so many groups wait, and something changes

// Are there requests of this name (RunRequest)?
bool IsRequest(std::string_view name);

}  // namespace cadre::bench

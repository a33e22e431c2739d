// Scenario: a cluster, what happens to it and what must come of it, as read from a text file
// (docs/scenarios.md is the manual of the format). Values only; scenario_run.h runs one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "drive/effect.h"
#include "kube/object.h"

namespace cadre::app {

// An object by kind and name, "Job/train"; with an index the pod of that completion index that a Job has now,
// "Job/train[2]".
struct ObjectRef {
  kube::Kind kind{};
  std::string namespace_;  // "default" unless said otherwise; empty for cluster-scoped kinds
  std::string name;
  std::optional<std::int32_t> index;

  auto operator<=>(const ObjectRef&) const = default;
};

// "Job default/train[2]".
std::string ToString(const ObjectRef& ref);

struct CreateAct {
  kube::Object object;
};
struct PatchAct {
  ObjectRef target;
  json::object merge;
  bool status = false;
};
struct DeleteAct {
  ObjectRef target;
  drive::Propagation propagation = drive::Propagation::kBackground;
  std::optional<std::int64_t> grace_s;
};
struct EvictAct {
  ObjectRef pod;
};
// Another scheduler binds a pod.
struct BindAct {
  ObjectRef pod;
  std::string node;
};
enum class Program : std::uint8_t { kScheduler, kControllers };
struct RestartAct {
  Program process = Program::kScheduler;
};
// From now on the API server refuses the next `times` binds to a node, or of pods of an object.
struct RefuseAct {
  std::string node;             // empty: any
  std::optional<ObjectRef> of;  // none: any
  std::int64_t times = 1;
  drive::Outcome outcome = drive::Outcome::kRejected;
};
using Act = std::variant<CreateAct, PatchAct, DeleteAct, EvictAct, BindAct, RestartAct, RefuseAct>;

struct Step {
  Duration at{0};
  Act act;
  std::size_t line = 0;
};

// A count that is one of some numbers, or within bounds: 3, [0, 20], "<= 500", ">= 2".
struct Counts {
  std::vector<std::int64_t> one_of;  // empty: the bounds count
  std::optional<std::int64_t> at_least;
  std::optional<std::int64_t> at_most;

  bool Holds(std::int64_t count) const;
  std::string Text() const;
};

struct CheckRule;  // scenario_checks.h

// One thing that is asked of a subject. Which member of the wanted ones counts follows from the rule.
struct Check {
  const CheckRule* rule = nullptr;
  Counts counts;
  std::vector<std::string> texts;
  std::optional<ObjectRef> other;
  json::value partial;
};

// What an expectation is about: an object of the API, or a process as a whole.
using Subject = std::variant<ObjectRef, Program>;

struct Expectation {
  std::optional<Duration> at;  // none: at the end, or (in `always`) whenever time moves on
  Duration from{0};            // for `always`
  std::optional<Duration> until;
  Subject of;
  std::vector<Check> checks;
  std::size_t line = 0;
};

struct Scenario {
  std::string name;  // the file's, without folder and ending
  std::string file;
  std::string sentence;  // what it shows, in words
  std::string report;    // "kube-batch#514", or "own"
  Duration default_run_time{60'000};
  Duration pod_start_delay{0};
  Duration pod_stop_delay{0};
  Duration api_latency{0};
  Duration watch_lag{0};
  Duration limit = std::chrono::hours(24);
  bool respect_scheduler_name = false;
  std::vector<kube::Object> cluster;  // there before anything runs
  std::vector<Step> steps;            // in file order; those of one instant are done in this order
  std::vector<Expectation> expect;
  std::vector<Expectation> always;
};

// An error names file, line and field. `file` is the name for messages.
Result<Scenario> ParseScenario(std::string_view text, std::string file);
Result<Scenario> LoadScenario(const std::string& path);

}  // namespace cadre::app

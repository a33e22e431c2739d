// Whatever pods, network and process do: counts come out right and nothing runs twice.
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/random.h"
#include "sim/job_world.h"

namespace cadre::sim {
namespace {

using testing::At;
using testing::JobWorld;

struct Scenario {
  std::uint64_t seed = 1;
  bool indexed = true;
  int completions = 1;
  int parallelism = 1;
  std::optional<int> limit_per_index;
  bool suspends = false;
  Duration watch_latency{0};
  double faults = 0;   // probability of each kind of fault per write
  double crashes = 0;  // probability of a crash per write
  std::string Spec() const {
    std::string spec =
        fmt::format(R"("completions":{},"parallelism":{},"backoffLimit":100000)", completions, parallelism);
    if (indexed) {
      spec += R"(,"completionMode":"Indexed")";
    }
    if (limit_per_index) {
      spec += fmt::format(R"(,"backoffLimitPerIndex":{})", *limit_per_index);
    }
    return spec;
  }
};

std::ostream& operator<<(std::ostream& out, const Scenario& s) {
  return out << "seed " << s.seed << ": " << s.Spec() << (s.suspends ? ", suspends" : "") << ", watch lags "
             << s.watch_latency.count() << " ms, faults " << s.faults << ", crashes " << s.crashes;
}

Scenario AnyScenario() {
  Scenario s;
  s.seed = *rc::gen::inRange<std::uint64_t>(1, 1'000'000'000);
  s.indexed = *rc::gen::arbitrary<bool>();
  s.completions = *rc::gen::inRange(1, 12);
  s.parallelism = *rc::gen::inRange(1, 8);
  if (s.indexed && *rc::gen::arbitrary<bool>()) {
    s.limit_per_index = *rc::gen::inRange(0, 3);
  }
  s.watch_latency = Duration(*rc::gen::element(0, 0, 400, 2'500));
  s.faults = *rc::gen::element(0.0, 0.02, 0.08);
  s.crashes = *rc::gen::element(0.0, 0.02, 0.1);
  return s;
}

constexpr std::int64_t kCalmFrom = 120;  // seconds: no faults and crashes any more

class Run {
 public:
  explicit Run(const Scenario& scenario)
      : scenario_(scenario), random_(scenario.seed), world_(Options(), ApiOptions(scenario)) {
    world_.api.AddWriteObserver([this](const WriteRecord& record) { Observe(record); });
    ArmCrashes();
    world_.Submit(scenario.Spec());
  }

  // Plays until the Job is finished; false when it is not in an hour.
  bool Play() {
    for (int tick = 0; tick < 3'600; ++tick) {
      world_.Run(1);
      if (crashed_) {
        crashed_ = false;
        world_.Start();
        ArmCrashes();
      }
      if (kube::IsFinished(world_.JobObject()->As<kube::Job>())) {
        return true;
      }
      PlayFate(tick);
    }
    return false;
  }

  JobWorld& world() { return world_; }
  const std::set<std::string>& complaints() const { return complaints_; }
  int failures() const { return failures_; }
  const std::map<int, int>& successes() const { return successes_; }

 private:
  static JobControllerOptions Options() {
    JobControllerOptions options;
    options.pod_backoff = {.first = Duration(1'000), .max = Duration(4'000)};
    return options;
  }

  static MemoryApiOptions ApiOptions(const Scenario& scenario) {
    FaultOptions faults;
    faults.seed = scenario.seed;
    faults.until = At(kCalmFrom);
    faults.refused = faults.conflict = faults.lost_before = faults.lost_after = scenario.faults;
    faults.watch_delayed = faults.watch_ended = faults.watch_repeated = scenario.faults / 4;
    faults.watch_expired = scenario.faults / 10;
    faults.applies_to = [](std::string_view user) { return user == "job-controller"; };
    MemoryApiOptions options;
    options.watch_latency = scenario.watch_latency;
    options.faults = faults;
    return options;
  }

  void ArmCrashes() {
    world_.driver->SetCrashHook(
        [this](std::uint64_t, const drive::Effect&) {
          if (world_.clock.Now() >= At(kCalmFrom) || !random_.Chance(scenario_.crashes)) {
            return drive::CrashPoint::kNone;
          }
          return drive::kCrashPoints[random_.Uniform(drive::kCrashPoints.size())];
        },
        [this] { crashed_ = true; });
  }

  void Observe(const WriteRecord& record) {
    if (record.after == nullptr || record.after->kind != kube::Kind::kPod || record.before != nullptr) {
      return;
    }
    const std::vector<int> alive = world_.AliveIndexes();
    if (std::ssize(alive) > scenario_.parallelism) {
      complaints_.insert(fmt::format("{} pods alive at parallelism {}", alive.size(), scenario_.parallelism));
    }
    if (scenario_.indexed && std::set(alive.begin(), alive.end()).size() != alive.size()) {
      complaints_.insert("two pods of one index alive");
    }
  }

  void PlayFate(int tick) {
    for (const kube::Object& object : world_.Pods()) {
      const JobPod pod = MakeJobPod(object);
      const std::string& name = object.Meta().name;
      if (IsTerminating(pod) && random_.Chance(0.5)) {
        world_.DeletePod(name, 0);  // its kubelet is done
      }
      if (!IsActive(pod)) {
        continue;
      }
      if (pod.pod->spec.node_name.empty() && random_.Chance(0.5)) {
        world_.Bind(name);
        continue;
      }
      Decide(pod, name);
    }
    if (scenario_.suspends && random_.Chance(0.1)) {
      const bool suspended = world_.JobObject()->As<kube::Job>().spec.suspend;
      world_.PatchJob(
          fmt::format(R"({{"spec":{{"suspend":{}}}}})", suspended || tick > kCalmFrom ? "false" : "true"));
    }
  }

  void Decide(const JobPod& pod, const std::string& name) {
    if (random_.Chance(0.25)) {
      world_.End(name);
      ++successes_[pod.index];
    } else if (random_.Chance(0.1)) {
      world_.End(name, 1);
      ++failures_;
    } else if (random_.Chance(0.05)) {
      world_.DeletePod(name);
      ++failures_;
    }
  }

  const Scenario scenario_;
  Random random_;
  JobWorld world_;
  bool crashed_ = false;
  std::set<std::string> complaints_;
  int failures_ = 0;
  std::map<int, int> successes_;  // by index
};

// `times` successes, where one counts. A pod that succeeds just as the controller, not knowing it yet, takes
// it away for a suspension goes uncounted and runs again, in Kubernetes too.
bool SucceededOnce(const Scenario& scenario, int times, int wanted) {
  return scenario.suspends ? times >= wanted : times == wanted;
}

// Of an Indexed Job each index has succeeded once, or stands in failedIndexes and has not succeeded.
void CheckIndexes(const Scenario& scenario, Run& run) {
  const IndexSet failed = IndexSet::Parse(run.world().Status().failed_indexes, scenario.completions);
  const IndexSet completed = IndexSet::Parse(run.world().Status().completed_indexes, scenario.completions);
  for (int index = 0; index < scenario.completions; ++index) {
    const auto found = run.successes().find(index);
    const int times = found == run.successes().end() ? 0 : found->second;
    RC_ASSERT(SucceededOnce(scenario, times, failed.Contains(index) ? 0 : 1));
    RC_ASSERT(completed.Contains(index) != failed.Contains(index));
  }
}

void CheckEnd(const Scenario& scenario, Run& run) {
  const kube::JobStatus& status = run.world().Status();
  RC_ASSERT(run.complaints() == std::set<std::string>{});
  if (scenario.indexed) {
    CheckIndexes(scenario, run);
  } else {
    RC_ASSERT(status.succeeded == scenario.completions);
    RC_ASSERT(SucceededOnce(scenario, run.successes().at(-1), scenario.completions));
  }
  RC_ASSERT(status.active == 0);
  RC_ASSERT(run.world().Alive().empty());
  run.world().Run(1);
  for (const kube::Object& pod : run.world().Pods()) {
    RC_ASSERT(pod.Meta().finalizers.empty());
  }
}

RC_GTEST_PROP(JobControllerProperty, CountsEveryPodOnceWhateverFailsAndCrashes, ()) {
  const Scenario scenario = AnyScenario();
  RC_LOG() << scenario << "\n";
  Run run(scenario);
  RC_ASSERT(run.Play());
  CheckEnd(scenario, run);
  RC_ASSERT(run.world().Status().failed == run.failures());
}

RC_GTEST_PROP(JobControllerProperty, KeepsCountsThroughSuspensions, ()) {
  Scenario scenario = AnyScenario();
  scenario.suspends = true;
  RC_LOG() << scenario << "\n";
  Run run(scenario);
  RC_ASSERT(run.Play());
  CheckEnd(scenario, run);
  // Failures have the same gap as successes.
  RC_ASSERT(run.world().Status().failed <= run.failures());
}

}  // namespace
}  // namespace cadre::sim

#include "app/annotation_check.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/input.h"
#include "base/text.h"
#include "core/claims.h"
#include "core/plan.h"
#include "groups/annotations.h"
#include "groups/catalog.h"
#include "sim/run_time.h"

namespace cadre::app {
namespace {

constexpr std::string_view kPrefix = "cadre.dev/";

// Those that a person writes.
constexpr std::array<std::string_view, 11> kForPeople = {groups::kGangAnnotation,
                                                         groups::kMinAvailableAnnotation,
                                                         groups::kRequiredTopologyAnnotation,
                                                         groups::kPreferredTopologyAnnotation,
                                                         groups::kExclusiveTopologyAnnotation,
                                                         groups::kExclusiveScopeAnnotation,
                                                         groups::kMaxDurationAnnotation,
                                                         kSubmitAnnotation,
                                                         sim::kDurationAnnotation,
                                                         sim::kExitCodeAnnotation,
                                                         sim::kFailAttemptsAnnotation};

// Those that Cadre writes, which dumps have; some go on with the name of a part.
constexpr std::array<std::string_view, 6> kOurs = {core::kPlanAnnotation,       core::kStartedAnnotation,
                                                   core::kRolledBackAnnotation, core::kRollbacksAnnotation,
                                                   core::kClaimsAnnotation,     core::kIdleAnnotation};

bool IsKnown(std::string_view key) {
  return std::ranges::find(kForPeople, key) != kForPeople.end() ||
         std::ranges::any_of(kOurs, [&](std::string_view ours) { return key.starts_with(ours); });
}

class Check {
 public:
  void Add(std::string_view where, const kube::StringMap& annotations) {
    for (const auto& [key, value] : annotations) {
      if (!key.starts_with(kPrefix) || IsKnown(key)) continue;
      const std::string_view meant = ClosestTo(key, kForPeople);
      Say(where, meant.empty() ? fmt::format("{} is not known", key)
                               : fmt::format("{} is not known; did you mean {}?", key, meant));
    }
    for (const std::string& unread : groups::UnreadAnnotations(annotations))
      Say(where, unread);
  }

  void AddJob(std::string_view where, const kube::JobSpec& job) {
    Add(fmt::format("{}template.metadata.", where), job.pod_template.annotations);
  }

  std::vector<std::string> Take() { return std::move(said_); }

 private:
  void Say(std::string_view where, std::string_view what) {
    said_.push_back(fmt::format("{}annotations: {}", where, what));
  }

  std::vector<std::string> said_;
};

}  // namespace

std::vector<std::string> MisreadAnnotations(const kube::Object& object) {
  Check check;
  check.Add("metadata.", object.Meta().annotations);
  if (object.kind == kube::Kind::kJob) check.AddJob("spec.", object.As<kube::Job>().spec);
  if (object.kind == kube::Kind::kJobSet) {
    for (const kube::ReplicatedJob& jobs : object.As<kube::JobSet>().spec.replicated_jobs) {
      const std::string where = fmt::format("spec.replicatedJobs[{}].template.", jobs.name);
      check.Add(where + "metadata.", jobs.job_annotations);
      check.AddJob(where + "spec.", jobs.job);
    }
  }
  return check.Take();
}

}  // namespace cadre::app

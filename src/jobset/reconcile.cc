#include "jobset/reconcile.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "jobset/child_jobs.h"
#include "jobset/service.h"
#include "jobset/startup_policy.h"
#include "jobset/success_policy.h"
#include "jobset/suspend.h"
#include "jobset/ttl.h"

namespace cadre::jobset {
namespace {

class Pass {
 public:
  Pass(const View& view, Children children)
      : view_(view),
        jobset_(view.jobset.As<kube::JobSet>()),
        spec_(jobset_.spec),
        children_(std::move(children)),
        numbering_(spec_),
        status_(ReadStatus(view.jobset)) {
    status_.counters = CountJobs(spec_, children_);
  }

  Plan Run() {
    if (kube::IsFinished(jobset_)) {
      CleanUp();
    } else {
      Advance();
    }
    plan_.status_patch = StatusPatch(view_.jobset, status_);
    return std::move(plan_);
  }

 private:
  void CleanUp() {
    DeleteAll(children_.active);
    const std::optional<Time> expiry = ExpiresAt(jobset_);
    if (expiry && *expiry <= view_.now) {
      plan_.delete_jobset = true;
    } else {
      plan_.again = expiry;
    }
  }

  void Advance() {
    DeleteAll(children_.previous);
    if (!spec_.suspend && AllStarted()) {
      Set({kRestartingCondition, false, "JobsReady", "all jobs of the jobset are ready"});
    }
    if (!children_.failed.empty()) {
      HandleFailure();
      return;
    }
    if (HasSucceeded(spec_, status_.counters)) {
      Set({kCompletedCondition, true, "AllJobsCompleted", "jobset completed successfully"});
      Set({kRestartingCondition, false, "JobSetCompleted", "jobset completed"});
      status_.terminal_state = "Completed";
      return;
    }
    if (spec_.network.enable_dns_hostnames && !view_.service_exists) {
      plan_.create_service = MakeService(jobset_);
    }
    const Startup startup = PlanStartup(spec_, status_.counters);
    CreateMissing(startup);
    SuspendOrResume(startup);
    NoteStartup(startup);
  }

  bool AllStarted() const {
    std::int64_t started = 0;
    for (const kube::ReplicatedJobStatus& counter : status_.counters) {
      started += counter.ready + counter.succeeded;
    }
    return started == numbering_.replicas();
  }

  void HandleFailure() {
    FailureDecision decision = DecideOnFailure(jobset_, children_);
    std::ranges::move(decision.remarks, std::back_inserter(plan_.remarks));
    if (decision.action == FailureDecision::Action::kFail) {
      Set({kFailedCondition, true, decision.reason, decision.message});
      Set({kRestartingCondition, false, "JobSetFailed", "jobset failed"});
      status_.terminal_state = "Failed";
      return;
    }
    ++status_.restarts;
    status_.restarts_count_towards_max += decision.counts_towards_max ? 1 : 0;
    Set({kRestartingCondition, true, decision.reason, decision.message});
  }

  void CreateMissing(const Startup& startup) {
    const auto& strategy = spec_.failure_policy ? spec_.failure_policy->restart_strategy : std::string();
    if (strategy == "BlockingRecreate" && !children_.previous.empty()) {
      return;
    }
    std::set<std::string_view> ours;
    for (const kube::Object& job : view_.jobs) {
      ours.insert(job.Meta().name);
    }
    for (std::size_t i = 0; i < spec_.replicated_jobs.size(); ++i) {
      for (std::int32_t index = 0; startup.open[i] && index < spec_.replicated_jobs[i].replicas; ++index) {
        std::string name = ChildName(jobset_, spec_.replicated_jobs[i], index);
        if (ours.contains(name)) {
          continue;  // there it is, or its namesake of an earlier attempt is still going
        }
        if (!view_.uid_of_job(name).empty()) {
          plan_.blocked_names.push_back(std::move(name));
          continue;
        }
        plan_.create_jobs.push_back(MakeChildJob(view_.jobset, numbering_, i, index));
      }
    }
  }

  void SuspendOrResume(const Startup& startup) {
    for (const Child& child : children_.active) {
      if (child.deleting() || child.job->spec.suspend == spec_.suspend) {
        continue;
      }
      if (spec_.suspend) {
        plan_.change_jobs.push_back(
            {.job = child.object, .clear_start_time = false, .patch = SuspendPatch()});
      } else {
        Resume(child, startup);
      }
    }
    if (spec_.suspend) {
      Set({kSuspendedCondition, true, "SuspendedJobs", "jobset is suspended"});
      Set({kRestartingCondition, false, "JobSetSuspended", "jobset is suspended"});
    } else {
      Set({kSuspendedCondition, false, "ResumeJobs", "jobset is resumed"});
    }
  }

  void Resume(const Child& child, const Startup& startup) {
    const auto found =
        std::ranges::find(spec_.replicated_jobs, child.replicated_job, &kube::ReplicatedJob::name);
    if (found == spec_.replicated_jobs.end()) {
      return;  // not one that the spec asks for
    }
    const auto place = static_cast<std::size_t>(found - spec_.replicated_jobs.begin());
    // dependsOn holds back the creation of Jobs only: one that exists had its dependencies met.
    if (spec_.in_order && !startup.open[place]) {
      return;
    }
    const std::optional<std::int32_t> index = IndexOf(child, *found);
    if (!index) {
      return;
    }
    if (auto resumption = PlanResumption(child, MakeChildJob(view_.jobset, numbering_, place, *index))) {
      plan_.change_jobs.push_back({.job = child.object,
                                   .clear_start_time = resumption->clear_start_time,
                                   .patch = std::move(resumption->patch)});
    }
  }

  // The index that the Job's name says; none when it is not one of the wanted Jobs.
  std::optional<std::int32_t> IndexOf(const Child& child, const kube::ReplicatedJob& job) const {
    const auto label = child.job->metadata.labels.find(kube::kJobIndexLabel);
    if (label == child.job->metadata.labels.end()) {
      return std::nullopt;
    }
    std::int32_t index = -1;
    const std::string& text = label->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    const bool right = error == std::errc() && index >= 0 && ChildName(jobset_, job, index) == child.name();
    return right ? std::optional(index) : std::nullopt;
  }

  // The two conditions exclude each other.
  void NoteStartup(const Startup& startup) {
    if (startup.progress == StartupProgress::kInProgress) {
      Set({kStartupInProgressCondition, true, "InOrderStartupPolicyInProgress",
           "in order startup policy is in progress"});
      Set({kStartupCompletedCondition, false, "InOrderStartupPolicyInProgress",
           "in order startup policy is in progress"});
    } else if (startup.progress == StartupProgress::kCompleted) {
      Set({kStartupCompletedCondition, true, "InOrderStartupPolicyCompleted",
           "in order startup policy has completed"});
      Set({kStartupInProgressCondition, false, "InOrderStartupPolicyCompleted",
           "in order startup policy has completed"});
    }
  }

  void DeleteAll(const std::vector<Child>& children) {
    for (const Child& child : children) {
      if (!child.deleting()) {
        plan_.delete_jobs.push_back(child.object);
      }
    }
  }

  // Every change of a condition is an event too.
  void Set(const ConditionChange& change) {
    if (!SetCondition(status_, change, view_.now)) {
      return;
    }
    const bool bad = change.type == kFailedCondition || (change.type == kRestartingCondition && change.value);
    plan_.remarks.push_back({.warning = bad, .reason = change.reason, .message = change.message});
  }

  const View& view_;
  const kube::JobSet& jobset_;
  const kube::JobSetSpec& spec_;
  const Children children_;
  const ChildNumbering numbering_;
  Status status_;
  Plan plan_;
};

}  // namespace

Plan Reconcile(const View& view) {
  const auto& jobset = view.jobset.As<kube::JobSet>();
  const std::string& manager = jobset.spec.managed_by;
  if (jobset.metadata.deletion_timestamp || (!manager.empty() && manager != kube::kJobSetController)) {
    return {};
  }
  Result<Children> children = SortChildren(jobset, view.jobs);
  if (!children) {
    Plan plan;
    plan.trouble = children.error().message;
    return plan;
  }
  return Pass(view, *std::move(children)).Run();
}

}  // namespace cadre::jobset

#include "app/summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/manifest_notes.h"
#include "app/start_notes.h"
#include "app/summary_nodes.h"
#include "base/text.h"
#include "kube/job.h"
#include "kube/jobset.h"
#include "kube/kind.h"

namespace cadre::app {

namespace {

constexpr std::size_t kSlices = 40;
constexpr std::size_t kDetailedSlices = 120;
constexpr std::size_t kReasonsShown = 3;

// What the scheduler says about the groups in one row.
struct Verdict {
  bool never = false;
  std::vector<std::string> reasons;  // different ones, in queue order
  std::optional<Time> expected_start;
};

using Verdicts = std::map<const GroupRecord*, Verdict>;

Verdicts AskScheduler(const Simulation& simulation) {
  Verdicts verdicts;
  for (const core::GroupView& view : simulation.scheduler().Groups()) {
    const GroupRecord* row = simulation.recorder().FindRowOf(view.key);
    if (row == nullptr || row->end || view.state == core::GroupState::kStarted) continue;
    Verdict& verdict = verdicts[row];
    verdict.never = verdict.never || view.no == match::No::kNever;
    if (view.expected_start) verdict.expected_start = view.expected_start;
    const std::string reason = view.key.part.empty() || view.reason.empty()
                                   ? view.reason
                                   : fmt::format("{}: {}", view.key.part, view.reason);
    if (!reason.empty() &&
        std::find(verdict.reasons.begin(), verdict.reasons.end(), reason) == verdict.reasons.end())
      verdict.reasons.push_back(reason);
  }
  return verdicts;
}

std::string Joined(const std::vector<std::string>& reasons) {
  const std::size_t shown = std::min(reasons.size(), kReasonsShown);
  std::string text = fmt::format(
      "{}", fmt::join(reasons.begin(), reasons.begin() + static_cast<std::ptrdiff_t>(shown), "; "));
  if (shown < reasons.size()) text += fmt::format("; and {} more reasons", reasons.size() - shown);
  return text;
}

// Schedulers that the pods of this Job, JobSet or pod ask for.
std::set<std::string> SchedulersOf(const kube::Object& object) {
  std::set<std::string> names;
  if (object.kind == kube::Kind::kPod) names.insert(object.As<kube::Pod>().spec.scheduler_name);
  if (object.kind == kube::Kind::kJob)
    names.insert(object.As<kube::Job>().spec.pod_template.spec.scheduler_name);
  if (object.kind == kube::Kind::kJobSet) {
    for (const kube::ReplicatedJob& replicated : object.As<kube::JobSet>().spec.replicated_jobs)
      names.insert(replicated.job.pod_template.spec.scheduler_name);
  }
  return names;
}

std::string ManagerOf(const kube::Object& object) {
  if (object.kind == kube::Kind::kJob) return object.As<kube::Job>().spec.managed_by;
  return object.kind == kube::Kind::kJobSet ? object.As<kube::JobSet>().spec.managed_by : "";
}

bool IsSuspended(const kube::Object& object) {
  if (object.kind == kube::Kind::kJob) return object.As<kube::Job>().spec.suspend;
  return object.kind == kube::Kind::kJobSet && object.As<kube::JobSet>().spec.suspend;
}

const kube::Object* ObjectOf(Simulation& simulation, const model::GroupKey& key) {
  const sim::MemoryApi& api = simulation.api();
  for (const kube::Kind kind : {kube::Kind::kJobSet, kube::Kind::kJob, kube::Kind::kPod}) {
    if (kube::Info(kind).name != key.kind) continue;
    const kube::Object* object = api.Find(kind, key.namespace_, key.name);
    if (object != nullptr && object->Meta().uid == key.uid) return object;
  }
  return nullptr;
}

// Why a group waits of which the scheduler says nothing.
std::string WaitsForOthers(Simulation& simulation, const GroupRecord& record) {
  const kube::Object* object = ObjectOf(simulation, record.key);
  if (object == nullptr) return "none of its pods exists";
  if (IsSuspended(*object)) return fmt::format("{} is suspended", kube::Describe(*object));
  const std::string manager = ManagerOf(*object);
  if (!manager.empty() && manager != kube::kJobSetController && manager != "kubernetes.io/job-controller")
    return fmt::format("managed by {} (spec.managedBy), which is not simulated", manager);
  if (record.members == 0) return "it asks for no pods";
  std::set<std::string> others;
  if (simulation.respects_scheduler_name()) others = SchedulersOf(*object);
  others.erase("cadre");
  if (!others.empty())
    return fmt::format(
        "its pods ask for the scheduler {}; only those for cadre are placed (--respect-scheduler-name)",
        fmt::join(others, ", "));
  return "its pods have not been made";
}

class Builder {
 public:
  Builder(Simulation& simulation, const SimulationInput& input, bool cut)
      : simulation_(simulation), input_(input), start_(simulation.clock().Now() - simulation.Elapsed()) {
    report_.start = start_;
    report_.cut = cut;
    report_.api_writes = simulation.api().answered(drive::Outcome::kDone);
    report_.end = cut ? simulation.Elapsed() : simulation.recorder().last_change() - start_;
  }

  report::RunReport Build() {
    const Verdicts verdicts = AskScheduler(simulation_);
    for (const GroupRecord* record : simulation_.recorder().Groups()) {
      const auto verdict = verdicts.find(record);
      report_.groups.push_back(RowOf(*record, verdict == verdicts.end() ? nullptr : &verdict->second));
    }
    report_.cluster = {simulation_.recorder().nodes(), simulation_.recorder().domains()};
    AddUtilisation();
    AddNodes();
    AddRemarks();
    return std::move(report_);
  }

 private:
  Duration Since(Time time) const { return time - start_; }
  std::optional<Duration> Since(const std::optional<Time>& time) const {
    return time ? std::optional(*time - start_) : std::nullopt;
  }

  report::GroupRow RowOf(const GroupRecord& record, const Verdict* verdict) const {
    report::GroupRow row;
    row.namespace_ = record.key.namespace_;
    row.name = record.key.name;
    row.kind = record.key.kind;
    row.members = record.members;
    row.submit = Since(record.submit);
    row.first_bind = Since(record.first_bind);
    row.start = Since(record.start);
    row.end = Since(record.end);
    // Pods that end in the instant in which they start are never seen placed together.
    if (row.end && !row.start) row.start = row.first_bind;
    row.restarts = record.restarts;
    row.recreated_pods = record.recreated_pods;
    row.nodes.assign(record.nodes.begin(), record.nodes.end());
    for (const auto& [key, values] : record.domains)
      row.domains[key].assign(values.begin(), values.end());
    for (const auto& [from, to] : record.runs)
      row.runs.push_back({Since(from), Since(to)});
    for (const Hold& hold : record.holds)
      row.placements.push_back(PlacementOf(hold));
    SetState(record, verdict, row);
    return row;
  }

  report::MemberPlacement PlacementOf(const Hold& hold) const {
    return {hold.member, hold.node, {Since(hold.from), Since(hold.to)}, hold.shape};
  }

  void SetState(const GroupRecord& record, const Verdict* verdict, report::GroupRow& row) const {
    if (row.end) {
      row.state = report::GroupState::kFinished;
      row.outcome = record.failed ? "failed" : record.deleted ? "deleted" : "succeeded";
      row.reason = record.failure;
      return;
    }
    row.reason = verdict == nullptr ? "" : Joined(verdict->reasons);
    if (row.start) {
      row.state = report::GroupState::kRunning;
      return;
    }
    row.state =
        verdict != nullptr && verdict->never ? report::GroupState::kNever : report::GroupState::kPending;
    if (verdict != nullptr) row.expected_start = Since(verdict->expected_start);
    if (row.reason.empty()) row.reason = WaitsForOthers(simulation_, record);
  }

  void AddUtilisation() {
    // Four digits are more than anyone can use, and keep the JSON short.
    const auto rounded = [](double fraction) { return std::round(fraction * 1e4) / 1e4; };
    const UseMeter& meter = simulation_.recorder().use();
    std::vector<UseMeter::Use> detailed = meter.Read(start_ + report_.end, kDetailedSlices);
    auto detail = detailed.begin();
    for (UseMeter::Use& use : meter.Read(start_ + report_.end, kSlices)) {
      report::ResourceUse row{.resource = use.resource,
                              .allocatable = use.offered,
                              .mean_fraction = rounded(use.mean_fraction),
                              .peak_fraction = rounded(use.peak_fraction),
                              .over_time = std::move(use.slices),
                              .detail = std::move((detail++)->slices)};
      std::transform(row.over_time.begin(), row.over_time.end(), row.over_time.begin(), rounded);
      report_.utilisation.push_back(std::move(row));
    }
  }

  void AddNodes() {
    const Recorder& recorder = simulation_.recorder();
    report_.levels = LevelsOf(recorder);
    report_.nodes = NodeRowsOf(recorder, report_.levels);
    for (const kube::ResourceList& shape : recorder.shapes())
      report_.shapes.push_back(AmountsOf(shape));
    for (const Hold& hold : recorder.background_holds())
      report_.background.push_back(PlacementOf(hold));
  }

  // A dump can have the same mistake in each of its pods.
  void AddMisread() {
    constexpr std::size_t kMost = 20;
    for (const std::string& misread : std::span(input_.misread).first(std::min(input_.misread.size(), kMost)))
      report_.notes.push_back(misread + "; it counts as absent");
    if (input_.misread.size() > kMost)
      report_.notes.push_back(
          fmt::format("{} more fields and annotations count as absent", input_.misread.size() - kMost));
  }

  void AddRemarks() {
    report_.violations = simulation_.checker().violations();
    report_.unknown_kinds = input_.unknown_kinds;
    report_.problems = input_.problems;
    for (const Simulation::Refusal& refusal : simulation_.refusals())
      report_.problems.push_back(fmt::format("{}: {}", refusal.object, refusal.message));
    report_.notes = input_.notes;
    AddMisread();
    if (const std::size_t background = simulation_.recorder().background_pods(); background > 0)
      report_.notes.push_back(
          fmt::format("{} on the nodes already; they hold their resources",
                      background == 1 ? "1 pod was" : fmt::format("{} pods were", background)));
    if (simulation_.recorder().levels_given()) NoteAbsentLevels();
    for (std::string& note : StartNotes(input_))
      report_.notes.push_back(std::move(note));
    for (std::string& note : ManifestNotes(input_))
      report_.notes.push_back(std::move(note));
    if (report_.groups.empty())
      report_.notes.emplace_back(
          "nothing was submitted: the input holds no Pod, Job, JobSet or PodGroup that is to run");
    const auto tells_clock = [](const report::GroupRow& row) { return row.reason.contains(" UTC"); };
    if (std::ranges::any_of(report_.groups, tells_clock))
      report_.notes.push_back(
          fmt::format("times in UTC are those of the run, which begins at {}", FormatRfc3339(start_)));
    for (const std::string& warning : simulation_.api().warnings())
      report_.notes.push_back(warning);
  }

  void NoteAbsentLevels() {
    for (const std::string& key : simulation_.recorder().topology_keys()) {
      if (std::ranges::find(report_.levels, key) == report_.levels.end())
        report_.notes.push_back(fmt::format("--topology: no node has the label {}", key));
    }
  }

  Simulation& simulation_;
  const SimulationInput& input_;
  const Time start_;
  report::RunReport report_;
};

}  // namespace

report::RunReport Summarise(Simulation& simulation, const SimulationInput& input, bool cut) {
  return Builder(simulation, input, cut).Build();
}

int ExitCodeOf(const report::RunReport& report, bool strict) {
  if (!report.problems.empty() || (strict && !report.unknown_kinds.empty())) return 2;
  const bool all_ran =
      std::all_of(report.groups.begin(), report.groups.end(), [](const report::GroupRow& row) {
        return row.state == report::GroupState::kRunning ||
               (row.state == report::GroupState::kFinished && (row.start || row.members == 0));
      });
  return all_ran && report.violations.empty() ? 0 : 1;
}

}  // namespace cadre::app

#include "bench/match/api_world.h"

#include <algorithm>
#include <span>

#include <fmt/core.h>

#include "base/check.h"
#include "base/json.h"
#include "bench/match/measure.h"

namespace cadre::bench {
namespace {

// 2026-01-02T03:04:05Z.
constexpr Time kNow{Duration{1'767'323'045'000}};
// The driver hands over what has come since the last step; a list comes in pages.
constexpr std::size_t kBatch = 500;

std::vector<drive::Event> AllListed(const core::Scheduler& scheduler) {
  std::vector<drive::Event> events;
  for (const kube::Kind kind : scheduler.Kinds())
    events.emplace_back(drive::Listed{kind});
  return events;
}

double TimedStep(core::Scheduler& scheduler, std::span<const drive::Event> events,
                 drive::StepResult* result) {
  const double start_s = CpuSeconds();
  drive::StepResult one = scheduler.Step(kNow, events);
  const double cpu_s = CpuSeconds() - start_s;
  if (result != nullptr) *result = std::move(one);
  return cpu_s;
}

std::shared_ptr<kube::Job> MakeJob(const std::string& name, std::size_t pods, const kube::PodSpec& spec) {
  auto job = std::make_shared<kube::Job>();
  job->metadata.name = name;
  job->metadata.namespace_ = "team-a";
  job->metadata.uid = "job-" + name;
  job->metadata.creation_timestamp = kNow;
  job->spec.indexed = true;
  job->spec.parallelism = static_cast<std::int32_t>(pods);
  job->spec.completions = static_cast<std::int32_t>(pods);
  job->spec.pod_template.spec = spec;
  return job;
}

}  // namespace

core::Options ApiWorld::SchedulerOptions() {
  return {.scheduler_names = {"cadre"}, .limits = {}, .queue = {}, .epoch = 7};
}

ApiWorld::ApiWorld(std::size_t nodes) : scheduler_(SchedulerOptions()) {
  for (std::size_t i = 0; i < nodes; ++i)
    nodes_.emplace_back(drive::Changed{MakeNode(i), false});
  TimedStep(scheduler_, nodes_, nullptr);
  TimedStep(scheduler_, AllListed(scheduler_), nullptr);
}

void ApiWorld::PutPod(std::shared_ptr<kube::Pod> pod) {
  pod->metadata.resource_version = ++version_;
  news_.emplace_back(drive::Changed{ObjectOf(pod), false});
  pods_[pod->metadata.name] = std::move(pod);
}

void ApiWorld::AddJob(const std::string& name, std::size_t pods, const PodAsk& ask) {
  auto job = MakeJob(name, pods, MakePod(name, 0, ask)->spec);
  job->metadata.resource_version = ++version_;
  news_.emplace_back(drive::Changed{{kube::Kind::kJob, job, nullptr}, false});
  jobs_[name] = std::move(job);
  for (std::size_t i = 0; i < pods; ++i) {
    auto pod = MakePod(name, i, ask);
    pods_of_[name].push_back(pod->metadata.name);
    PutPod(std::move(pod));
  }
}

void ApiWorld::AddForeign(const std::string& name, std::size_t node, const PodAsk& ask) {
  auto pod = MakePod(name, 0, ask);
  pod->metadata.name = name;
  pod->metadata.uid =
      fmt::format("{}#{}", name, version_);  // never the pod of this name that was here before
  pod->metadata.owner_references.clear();
  pod->spec.scheduler_name = "default-scheduler";
  pod->spec.node_name = NodeName(node);
  PutPod(std::move(pod));
}

void ApiWorld::DeleteForeign(const std::string& name) {
  const auto pod = pods_.find(name);
  CADRE_ASSERT(pod != pods_.end(), name);
  news_.emplace_back(drive::Changed{ObjectOf(pod->second), true});
  pods_.erase(pod);
}

void ApiWorld::DeleteJob(const std::string& name) {
  for (const std::string& pod : pods_of_.at(name))
    DeleteForeign(pod);
  pods_of_.erase(name);
  news_.emplace_back(drive::Changed{{kube::Kind::kJob, jobs_.at(name), nullptr}, true});
  jobs_.erase(name);
}

double ApiWorld::Step() {
  const std::vector<drive::Event> events = std::exchange(news_, {});
  drive::StepResult result;
  const double cpu_s = TimedStep(scheduler_, events, &result);
  for (const drive::Effect& effect : result.effects)
    Do(effect);
  return cpu_s;
}

double ApiWorld::Run() {
  double cpu_s = 0;
  while (!news_.empty())
    cpu_s += Step();
  return cpu_s;
}

void ApiWorld::Do(const drive::Effect& effect) {
  std::visit([this](const auto& what) { Do(what); }, effect.what);
  news_.emplace_back(
      drive::Answer{.id = effect.id, .outcome = drive::Outcome::kDone, .message = {}, .object = {}});
}

void ApiWorld::Do(const drive::Bind& bind) {
  auto pod = std::make_shared<kube::Pod>(*pods_.at(bind.pod.name));
  pod->spec.node_name = bind.node;
  for (const auto& [key, value] : bind.annotations)
    pod->metadata.annotations[key] = value;
  ++bound_;
  PutPod(std::move(pod));
}

// Annotations of Jobs are all that is patched here.
void ApiWorld::Do(const drive::Patch& patch) {
  CADRE_ASSERT(patch.target.kind == kube::Kind::kJob, "only Jobs are expected to be patched");
  auto job = std::make_shared<kube::Job>(*jobs_.at(patch.target.name));
  for (const auto& [key, value] : patch.merge.at("metadata").at("annotations").as_object()) {
    if (value.is_null()) {
      job->metadata.annotations.erase(std::string(key));
    } else {
      job->metadata.annotations[std::string(key)] = std::string(value.as_string());
    }
  }
  job->metadata.resource_version = ++version_;
  news_.emplace_back(drive::Changed{{kube::Kind::kJob, job, nullptr}, false});
  jobs_[patch.target.name] = std::move(job);
}

std::vector<drive::Event> ApiWorld::AllObjects() const {
  std::vector<drive::Event> events = nodes_;
  for (const auto& [name, job] : jobs_)
    events.emplace_back(drive::Changed{{kube::Kind::kJob, job, nullptr}, false});
  for (const auto& [name, pod] : pods_)
    events.emplace_back(drive::Changed{ObjectOf(pod), false});
  return events;
}

Rebuilt Rebuild(const std::vector<drive::Event>& objects) {
  Rebuilt rebuilt{.scheduler = std::make_unique<core::Scheduler>(ApiWorld::SchedulerOptions())};
  const std::span<const drive::Event> all(objects);
  for (std::size_t first = 0; first < all.size(); first += kBatch) {
    const auto batch = all.subspan(first, std::min(kBatch, all.size() - first));
    rebuilt.fold_s += TimedStep(*rebuilt.scheduler, batch, nullptr);
  }
  rebuilt.settle_s = TimedStep(*rebuilt.scheduler, AllListed(*rebuilt.scheduler), nullptr);
  return rebuilt;
}

}  // namespace cadre::bench

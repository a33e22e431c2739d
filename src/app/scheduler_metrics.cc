#include "app/scheduler_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace cadre::app {
namespace {

// From a step that does nothing to one that places a whole cluster.
const prometheus::Histogram::BucketBoundaries kStepSeconds = {0.00001, 0.0001, 0.001, 0.01, 0.1, 1};
// From a quiet API server's answer to the end of a write's timeout.
const prometheus::Histogram::BucketBoundaries kWriteSeconds = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1,
                                                               0.2,   0.5,   1,     2,    5,    10};

// From a pod that fits at once to one that waits for a night.
const prometheus::Histogram::BucketBoundaries kWaitSeconds = {0.01, 0.1, 0.5,   1,     5,     15,
                                                              60,   300, 1'800, 7'200, 28'800};

constexpr const char* kLanes[] = {"bind", "write", "condition", "note"};
constexpr const char* kStates[] = {"waiting", "binding", "started", "rolling_back"};

double Seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

// What is counted elsewhere.
void CountUpTo(prometheus::Counter& counter, std::uint64_t total) {
  counter.Increment(static_cast<double>(total) - counter.Value());
}

}  // namespace

struct SchedulerMetrics::Series {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& Counter(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  }
  prometheus::Family<prometheus::Gauge>& Gauge(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
  }

  prometheus::Counter& events =
      Counter("cadre_scheduler_events_total", "Changes and answers that the scheduler was told of.").Add({});
  prometheus::Histogram& steps = prometheus::BuildHistogram()
                                     .Name("cadre_scheduler_step_duration_seconds")
                                     .Help("How long the scheduler thought, once for each batch of events.")
                                     .Register(registry)
                                     .Add({}, kStepSeconds);
  prometheus::Histogram& binds = prometheus::BuildHistogram()
                                     .Name("cadre_scheduler_bind_duration_seconds")
                                     .Help("From the decision to bind a pod to the API server's answer.")
                                     .Register(registry)
                                     .Add({}, kWriteSeconds);
  prometheus::Histogram& waits =
      prometheus::BuildHistogram()
          .Name("cadre_scheduler_pod_scheduling_duration_seconds")
          .Help(
              "From when a pod was seen without a node until it was bound, waiting for its group and room "
              "included.")
          .Register(registry)
          .Add({}, kWaitSeconds);
  prometheus::Family<prometheus::Counter>& writes = Counter(
      "cadre_scheduler_writes_total", "Writes by what they are for and how they ended, after all retries.");
  prometheus::Gauge& in_flight =
      Gauge("cadre_scheduler_writes_pending", "Writes that were decided and have not ended.").Add({});
  prometheus::Family<prometheus::Gauge>& groups = Gauge("cadre_scheduler_groups", "Groups by state.");
  prometheus::Gauge& waiting_pods =
      Gauge("cadre_scheduler_waiting_pods", "Pods of groups that have no place.").Add({});
  prometheus::Counter& matches =
      Counter("cadre_scheduler_matches_total", "Groups that a place was looked for.").Add({});
  prometheus::Counter& retries =
      Counter("cadre_scheduler_retries_total", "Writes that were sent again.").Add({});
  prometheus::Counter& relists =
      Counter("cadre_scheduler_relists_total", "Kinds that were listed again.").Add({});
  prometheus::Counter& dropped =
      Counter("cadre_scheduler_dropped_total", "Conditions and events dropped under pressure.").Add({});
};

SchedulerMetrics::SchedulerMetrics(core::Scheduler& scheduler)
    : scheduler_(scheduler), series_(std::make_unique<Series>()) {}

SchedulerMetrics::~SchedulerMetrics() = default;

drive::StepResult SchedulerMetrics::Step(Time now, std::span<const drive::Event> events) {
  const Instant begin = std::chrono::steady_clock::now();
  for (const drive::Event& event : events) {
    if (const auto* changed = std::get_if<drive::Changed>(&event);
        changed != nullptr && changed->object.kind == kube::Kind::kPod)
      NotePod(changed->object.As<kube::Pod>(), changed->deleted, begin);
    if (const auto* listed = std::get_if<drive::Listed>(&event); listed != nullptr)
      listed_.insert(listed->kind);
    if (const auto* answer = std::get_if<drive::Answer>(&event); answer != nullptr)
      NoteAnswer(*answer, begin);
  }
  drive::StepResult result = scheduler_.Step(now, events);
  const Instant end = std::chrono::steady_clock::now();
  for (const drive::Effect& effect : result.effects)
    NoteEffect(effect, end);
  series_->events.Increment(static_cast<double>(events.size()));
  series_->steps.Observe(Seconds(end - begin));
  return result;
}

void SchedulerMetrics::NotePod(const kube::Pod& pod, bool deleted, Instant now) {
  if (!deleted && pod.spec.node_name.empty()) {
    unplaced_.emplace(pod.metadata.uid, now);
  } else {
    unplaced_.erase(pod.metadata.uid);
  }
}

// The watch may show a bind before its answer comes: from here on the bind knows since when its pod waits.
void SchedulerMetrics::NoteEffect(const drive::Effect& effect, Instant now) {
  Sent& sent = sent_[effect.id];
  sent = {.lane = effect.lane, .pod = {}, .at = now, .unplaced_since = now};
  if (!std::holds_alternative<drive::Bind>(effect.what)) return;
  sent.pod = effect.uid;
  if (const auto unplaced = unplaced_.find(effect.uid); unplaced != unplaced_.end()) {
    sent.unplaced_since = unplaced->second;
    unplaced_.erase(unplaced);
  }
}

void SchedulerMetrics::NoteAnswer(const drive::Answer& answer, Instant now) {
  const auto found = sent_.find(answer.id);
  if (found == sent_.end()) return;
  const Sent sent = std::move(found->second);
  sent_.erase(found);
  series_->writes
      .Add({{"lane", kLanes[static_cast<std::size_t>(sent.lane)]},
            {"outcome", std::string(drive::ToString(answer.outcome))}})
      .Increment();
  if (sent.pod.empty()) return;
  series_->binds.Observe(Seconds(now - sent.at));
  if (answer.outcome == drive::Outcome::kDone) {
    series_->waits.Observe(Seconds(now - sent.unplaced_since));
  } else {
    unplaced_.emplace(sent.pod, sent.unplaced_since);  // it still waits
  }
}

std::string SchedulerMetrics::Text(const drive::Driver::Counters& driver) {
  std::map<core::GroupState, std::int64_t> by_state;
  std::int64_t waiting_pods = 0;
  for (const core::GroupView& view : scheduler_.Groups()) {
    ++by_state[view.state];
    if (view.state == core::GroupState::kWaiting) waiting_pods += view.pods;
  }
  for (std::size_t state = 0; state < std::size(kStates); ++state)
    series_->groups.Add({{"state", kStates[state]}})
        .Set(static_cast<double>(by_state[static_cast<core::GroupState>(state)]));
  series_->waiting_pods.Set(static_cast<double>(waiting_pods));
  series_->in_flight.Set(static_cast<double>(sent_.size()));
  CountUpTo(series_->matches, scheduler_.counters().matches);
  CountUpTo(series_->retries, driver.retries);
  CountUpTo(series_->relists, driver.relists);
  CountUpTo(series_->dropped, driver.dropped);
  return prometheus::TextSerializer().Serialize(series_->registry.Collect());
}

}  // namespace cadre::app

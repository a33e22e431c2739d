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
    if (const auto* listed = std::get_if<drive::Listed>(&event); listed != nullptr)
      listed_.insert(listed->kind);
    if (const auto* answer = std::get_if<drive::Answer>(&event); answer != nullptr)
      NoteAnswer(*answer, begin);
  }
  drive::StepResult result = scheduler_.Step(now, events);
  const Instant end = std::chrono::steady_clock::now();
  for (const drive::Effect& effect : result.effects)
    sent_[effect.id] = {effect.lane, std::holds_alternative<drive::Bind>(effect.what), end};
  series_->events.Increment(static_cast<double>(events.size()));
  series_->steps.Observe(Seconds(end - begin));
  return result;
}

void SchedulerMetrics::NoteAnswer(const drive::Answer& answer, Instant now) {
  const auto sent = sent_.find(answer.id);
  if (sent == sent_.end()) return;
  if (sent->second.is_bind) series_->binds.Observe(Seconds(now - sent->second.at));
  series_->writes
      .Add({{"lane", kLanes[static_cast<std::size_t>(sent->second.lane)]},
            {"outcome", std::string(drive::ToString(answer.outcome))}})
      .Increment();
  sent_.erase(sent);
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

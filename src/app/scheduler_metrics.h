// SchedulerMetrics: what a running scheduler does, for Prometheus. It stands around the scheduler as a
// machine around a machine: it looks at what goes in and comes out and changes neither.
//
// Times are those of the process (steady clock), not of objects. Thread rule: the event loop's thread.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "core/scheduler.h"
#include "drive/driver.h"
#include "drive/machine.h"

namespace cadre::app {

class SchedulerMetrics final : public drive::Machine {
 public:
  // The scheduler is borrowed.
  explicit SchedulerMetrics(core::Scheduler& scheduler);
  ~SchedulerMetrics() override;

  std::string_view Name() const override { return scheduler_.Name(); }
  std::span<const kube::Kind> Kinds() const override { return scheduler_.Kinds(); }
  drive::StepResult Step(Time now, std::span<const drive::Event> events) override;

  // Every kind has been listed: what it decides from now on stands on the whole cluster.
  bool HasListed() const { return listed_.size() >= scheduler_.Kinds().size(); }

  // The exposition format, version 0.0.4. `driver`: the counters as they are now.
  std::string Text(const drive::Driver::Counters& driver);

 private:
  struct Series;
  using Instant = std::chrono::steady_clock::time_point;
  struct Sent {
    drive::Lane lane;
    std::string pod;  // of a bind: its UID
    Instant at{};
    Instant unplaced_since{};  // of a bind
  };

  void NotePod(const kube::Pod& pod, bool deleted, Instant now);
  void NoteEffect(const drive::Effect& effect, Instant now);
  void NoteAnswer(const drive::Answer& answer, Instant now);

  core::Scheduler& scheduler_;
  std::unique_ptr<Series> series_;
  std::map<drive::EffectId, Sent> sent_;
  std::unordered_map<std::string, Instant>
      unplaced_;  // pods without a node, by UID: since when they are seen
  std::set<kube::Kind> listed_;
};

}  // namespace cadre::app

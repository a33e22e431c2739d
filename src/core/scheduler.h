// Scheduler: the group scheduler as a machine. Everything it knows is a fold over API objects plus the
// effects it is waiting for; kill it at any instant, make a new one, feed it the API's objects, and it goes
// on.
//
// How a group goes (docs/architecture.md follows one): its pods appear → the group is described by
// groups::Catalog → it waits in queue::PendingQueue → match::Match gives a whole placement → the pods are
// assumed in model::Cluster → the first Bind carries the plan; the others follow when it is acknowledged →
// the owner is marked as started. What cannot roll forward is rolled back through its owner.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "drive/machine.h"
#include "match/match.h"
#include "model/group.h"
#include "queue/policy.h"

namespace cadre::core {

struct Options {
  std::set<std::string> scheduler_names = {
      "cadre"};                        // pods of these spec.schedulerName are placed; empty: every pod
  kube::StringMap node_selector = {};  // pods are placed on nodes with these labels only; empty: on all
  match::Limits limits;
  queue::Policy queue = {};
  std::int64_t conditions_per_second = 200;  // PodScheduled conditions of pods that wait; 0: none are written
  std::uint64_t epoch = 0;                   // leaseTransitions of the lease it runs under; goes into plans
};

enum class GroupState : std::uint8_t {
  kWaiting,      // no place yet (or not all pods there yet)
  kBinding,      // has a place, binds are under way
  kStarted,      // its minimum was placed
  kRollingBack,  // suspended by us until its pods are gone
};

// What a person may ask about a group: read by reports and by `cadre simulate`.
struct GroupView {
  model::GroupKey key;
  GroupState state = GroupState::kWaiting;
  std::int32_t members = 0;  // expected
  std::int32_t pods = 0;     // live pods
  std::int32_t placed = 0;   // bound or being bound
  std::int32_t priority = 0;
  Time created{};
  std::vector<std::string> nodes;  // of its placed members, sorted, unique
  std::optional<match::No> no;     // why it waits, when it was tried
  std::string reason;              // for people, in numbers; empty when nothing is wrong
  std::optional<Time> expected_start =
      {};  // at the latest; known of the first group that waits for room, at most
};

// What the work was, since the process started.
struct Counters {
  std::uint64_t matches = 0;   // groups that the matcher was asked for
  std::uint64_t searches = 0;  // questions about the future and about passing
};

class Scheduler : public drive::Machine {
 public:
  explicit Scheduler(Options options);
  ~Scheduler() override;

  std::string_view Name() const override { return "cadre-scheduler"; }
  std::span<const kube::Kind> Kinds() const override;
  drive::StepResult Step(Time now, std::span<const drive::Event> events) override;

  // Groups that have live pods, or wait for them, in queue order.
  std::vector<GroupView> Groups() const;
  Counters counters() const;
  // Canonical text of the folded state: equal after the same objects, however they came.
  std::string Fingerprint() const;
  const model::Cluster& cluster() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::core

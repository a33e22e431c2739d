// Outlook: what the scheduler knows of the future. When running groups end at the latest, when the head of
// the queue can start, and whether a group behind it may start now without delaying it (docs/queue.md).
//
// All of it follows from API objects: starts from status.startTime of pods (the decision counts until a
// kubelet has reported), bounds from the groups' specs, waiting from the creation of pods. Two things are
// remembered beside that and may be forgotten at any time: starts of groups whose pods are gone from the API
// (then a head's patience ends sooner, never later), and which nodes were chosen for a head that nobody can
// say a time for (they are chosen anew). Thread rule: one thread. Bounds: one entry per group that runs, one
// per group started within the policy's patience.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/request_builder.h"
#include "core/state.h"
#include "queue/foresight.h"
#include "queue/pending_queue.h"
#include "queue/policy.h"

namespace cadre::core {

class Outlook {
 public:
  // `finder`: of the state's cluster.
  Outlook(const queue::Policy& policy, match::Finder& finder, State& state, queue::PendingQueue& queue);

  // The group changed, was sent to its place, or lost it.
  void Update(const model::GroupKey& key, const Group& group, Time now);
  void Forget(const model::GroupKey& key);

  // A new step: time has passed. Call it before groups are tried.
  void Advance(Time now);
  // Call it whenever a group was tried: the head may be another one now.
  void NoteHead();
  // When to step again though nothing has changed.
  std::optional<Time> NextWake(Time now) const;
  // Grows when something changed that could let in a group that was held back, room and pods aside.
  std::uint64_t version() const { return version_; }

  enum class Verdict : std::uint8_t {
    kMayStart,
    kMustWait,
    kNotNow /* out of searches: ask in the next step */
  };
  // A group behind the head has this placement. May it start? The placement may be replaced by another.
  // REQUIRES: a head, the group is behind it and has not started.
  Verdict Judge(const Group& group, const Ask& ask, match::Placement& placement, Time now);
  // It was sent there.
  void Accepted(const Group& group, const Ask& ask, const match::Placement& placement, Time now);
  // Why a group that was held back waits.
  std::string WhyHeldBack(const Group& group, Time now);

  struct HeadView {
    std::optional<Time> start;  // at the latest
    std::string text;           // "starts at the latest 14:05 when Job default/a ends"; never empty
  };
  // Of the head. Decides nothing.
  HeadView DescribeHead(Time now);

  std::uint64_t searches() const { return searches_; }

 private:
  struct Run {
    Time start{};
    std::optional<Time> end;  // at the latest; none: nobody knows
    bool operator==(const Run&) const = default;
  };
  struct Started {
    queue::Ticket ticket;
    Time at{};
  };
  using Spot = std::pair<model::NodeId, model::ResourceId>;
  struct Reservation {
    model::GroupKey head;
    Ask ask;
    // As of when it was made.
    std::uint64_t room_version = 0;
    std::uint64_t pods_version = 0;
    std::uint64_t version = 0;

    std::optional<Time> at;              // the head starts then at the latest; none: nobody knows
    std::string because;                 // who leaves then
    std::vector<queue::Departure> gone;  // by then
    match::Placement placement;
    bool holds = false;                     // others must keep off
    bool delicate = false;                  // more than amounts counts: domains of its own, affinity, ports
    Time waits_since{};                     // as the head; only without a time
    std::map<Spot, std::int64_t> spare;     // what others may take beside it
    std::set<std::string> refused;          // signatures of asks that would delay it
    std::optional<queue::Nearest> nearest;  // where it waits; only without a time
    Time valid_until = Time::max();
  };

  Time StartOf(const MemberRef& member, const Run* before, Time now) const;
  static std::optional<Time> EndOf(const model::GroupSpec& spec, Time start);
  queue::Ticket TicketOf(const model::GroupKey& key, const Group& group) const;
  bool EndsClaims(const model::GroupSpec& spec) const;
  std::vector<queue::Departure> Departures(Time now) const;
  Time WaitsSince(const model::GroupKey& key, const Group& group) const;

  bool IsCurrent(const Reservation& reservation, Time now) const;
  // Null: nobody is to be kept off anything.
  Reservation* Current(Time now);
  Reservation Reserve(const model::GroupKey& head, Time now);
  void KeepNearest(const Group& head, Time now, Reservation& reservation);
  void SetSpare(Reservation& reservation) const;
  double IdleShare(const Reservation& reservation) const;
  bool IsDelicate(const Ask& ask, const model::GroupSpec& spec) const;

  bool FitsBeside(const Reservation& reservation, const Ask& ask, const match::Placement& placement) const;
  bool HeadStillFits(Reservation& reservation, const Group& group, const Ask& ask,
                     const match::Placement& placement);
  std::optional<match::Placement> PlaceBeside(const Reservation& reservation, const Ask& ask);
  static void AddClaims(model::Hypothesis& hypothesis, const Group& group, const Ask& ask,
                        const match::Placement& placement);

  const queue::Policy policy_;
  match::Finder& finder_;
  State& state_;
  queue::PendingQueue& queue_;
  std::map<model::GroupKey, Run> runs_;              // of what has members placed
  std::set<std::pair<Time, model::GroupKey>> ends_;  // the known ends of runs_
  std::map<model::GroupKey, Started> started_;       // within the policy's patience
  std::optional<model::GroupKey> head_;
  std::optional<std::pair<model::GroupKey, queue::Nearest>> chosen_;
  std::optional<Reservation> reservation_;
  bool is_behind_ = false;  // whom Judge was asked about last: behind the head that is left
  std::uint64_t version_ = 1;
  Time advanced_to_{};
  std::uint64_t searches_ = 0;
  std::uint64_t searches_before_step_ = 0;
};

}  // namespace cadre::core

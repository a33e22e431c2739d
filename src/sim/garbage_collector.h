// GarbageCollector: what the controller manager of Kubernetes does about objects that nobody needs any more,
// as one machine.
//
// - Owner references: an object all of whose owners (by UID) are gone is deleted. An owner deleted in the
// foreground goes
//   after its dependents with blockOwnerDeletion; one deleted with Orphan goes after they were freed of it.
// - Pods bound to a node that does not exist are failed and removed after a quarantine (PodGC), and so are
// pods that are
//   being deleted and were never bound, which no kubelet would end.
// - Finished Jobs with ttlSecondsAfterFinished are deleted (in the foreground).
//
// An owner of a kind that is not watched here is taken to exist, and so is one that a dump left out
// (Options::left_out). One that is absent from the first list is gone: it went while no garbage collector
// looked. An owner that is absent later may only be late: its dependents wait for it. Source: measured on
// Kubernetes 1.36; https://kubernetes.io/docs/concepts/architecture/garbage-collection/
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "drive/machine.h"
#include "sim/timer_set.h"

namespace cadre::sim {

struct GarbageCollectorOptions {
  Duration missing_node{40'000};   // before a pod on a node that does not exist is removed
  Duration never_bound{20'000};    // before a deleted pod that was never bound is removed
  Duration missing_owner{30'000};  // before an owner that was never seen is taken to be gone
  // UIDs of owners that are not in this API but are taken to exist: a dump may hold pods without their Jobs.
  // Borrowed; none when null.
  const std::set<std::string>* left_out = nullptr;
};

class GarbageCollector final : public drive::Machine {
 public:
  explicit GarbageCollector(GarbageCollectorOptions options = {}) : options_(options) {}

  std::string_view Name() const override { return "garbage-collector"; }
  std::span<const kube::Kind> Kinds() const override;
  drive::StepResult Step(Time now, std::span<const drive::Event> events) override;

  // Writes that were refused for good. Each once.
  const std::set<std::string>& complaints() const { return complaints_; }

 private:
  struct Item {
    kube::Object object;
    std::uint64_t number = 0;  // in the order they were seen
    Time seen{};
    bool from_the_start = false;        // it was in the first list
    int in_flight = 0;                  // writes not answered yet
    std::uint64_t written_version = 0;  // of the object, when the last write was asked for
    std::uint64_t refused_version = 0;  // the API server refused a write about this version for good
    std::optional<Time> retry_at;
    std::optional<Time> unattended_since;  // a pod whose node does not exist, or that no kubelet will end

    const kube::ObjectMeta& meta() const { return object.Meta(); }
  };
  enum class OwnerIs : std::uint8_t { kThere, kGone, kWaiting, kLate };

  void OnChanged(Time now, const drive::Changed& change);
  void OnGone(Item& item);
  void OnNode(const drive::Changed& change);
  void OnAnswer(Time now, const drive::Answer& answer);
  void Refresh(Item& item, const kube::Object& object);
  void DirtyOwners(const std::vector<kube::OwnerReference>& owners);
  void Link(const Item& item);
  void Unlink(const Item& item);
  void Dirty(const Item& item);
  void DirtyDependents(const std::string& uid);
  const std::set<std::uint64_t>& DependentsOf(const Item& item) const;

  void Look(Time now, Item& item);
  bool LookAtOwners(Time now, Item& item);
  OwnerIs StateOf(Time now, const Item& item, const kube::OwnerReference& owner);
  void LookAtForeground(Item& item);
  void LookAtOrphaning(Item& item);
  void LookAtPod(Time now, Item& item);
  void LookAtJob(Time now, Item& item);

  void FailAndRemove(Time now, Item& item, std::string_view message);
  void Delete(Item& item, drive::Propagation propagation, std::optional<std::int64_t> grace = {},
              std::optional<drive::EffectId> after = {});
  void DropFinalizer(Item& item, std::string_view finalizer);
  void DropOwners(Item& item, const std::vector<std::string>& uids);
  drive::EffectId Ask(Item& item, drive::Effect effect);

  const GarbageCollectorOptions options_;
  boost::unordered_flat_map<std::string, std::unique_ptr<Item>> items_;  // by UID; nodes are not among them
  std::map<std::uint64_t, Item*> by_number_;
  boost::unordered_flat_map<std::string, std::set<std::uint64_t>>
      dependents_;                                                           // owner UID -> numbers of items
  boost::unordered_flat_map<std::string, std::set<std::uint64_t>> pods_on_;  // node name -> numbers of pods
  boost::unordered_flat_map<std::string, std::string> nodes_;                // name -> UID
  // The newest UIDs that are known to be gone, for dependents that appear after their owner went.
  boost::unordered_flat_set<std::string> gone_;
  std::deque<std::string> gone_order_;
  boost::unordered_flat_map<std::uint64_t, std::string> asked_;  // effect -> UID of the item
  TimerSet timers_;
  std::map<std::uint64_t, Item*> dirty_;
  std::set<std::string> complaints_;
  std::vector<drive::Effect> effects_;
  std::uint64_t last_number_ = 0;
  std::uint64_t last_effect_ = 0;
  std::size_t listed_ = 0;
};

}  // namespace cadre::sim

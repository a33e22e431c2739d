// Groups: what must be placed together, as the adapters in src/groups read it from API objects.
//
// A group is a tree of two levels here: the group and its units (the child Jobs of a JobSet; one unit for a
// Job or PodGroup), with the members in the units. A member is one pod slot: (unit, index). Pods come and go;
// the slot stays.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/kind.h"
#include "kube/pod.h"
#include "model/claim.h"

namespace cadre::model {

// Names a group for its whole life. Two objects of one name, one after the other, are two groups (uid),
// except where pods name their group by name alone (PodGroup, label): there uid is empty.
struct GroupKey {
  std::string namespace_;
  std::string name;
  std::string kind;  // "JobSet", "Job", "PodGroup", "Pod"
  std::string uid;
  std::string part;  // a stage that waits for another to complete, or one replicated job; empty: all of it
  auto operator<=>(const GroupKey&) const = default;
};

// "JobSet default/train", with the part in brackets.
std::string ToString(const GroupKey& key);

// What parts that are stages begin with; names of replicated jobs hold no spaces.
inline constexpr std::string_view kStagePrefix = "stage ";

// The key without its stage: stages are planned one after the other, but to claims, and where they are asked
// to lie in one domain, they are one group.
GroupKey WholeOf(GroupKey key);

// The group of its tenants (model/claim.h): the same for all of its stages.
std::string TenantGroupOf(const GroupKey& key);

// What is asked of the domains that a group, or one of its units, is placed in. Label keys, or empty.
struct TopologyAsk {
  std::string required = {};  // all of it lies in one domain of this key
  std::string preferred =
      {};  // in one of this if that is possible, else of the next coarser level, else anywhere
  std::string exclusive = {};                      // in one of this that no other group may enter
  ExclusiveScope scope = ExclusiveScope::kGroups;  // of the exclusive domain
  bool Empty() const { return required.empty() && preferred.empty() && exclusive.empty(); }
  bool operator==(const TopologyAsk&) const = default;
};

// Where a pod belongs.
struct Membership {
  GroupKey group;
  std::string unit;         // name of the unit: the Job's name, or the group's
  std::int32_t index = -1;  // completion index; -1: the slots of this unit are alike
  bool alone = false;  // no other pod is ever in its unit: where others are exclusive it only takes capacity
};

struct UnitSpec {
  static constexpr std::int32_t kAll = -1;

  std::string name;
  std::string role;             // the replicated job's name, or the unit's
  std::int32_t expected = 0;    // pods that run at the same time when it runs; 0: as many as there are
  std::int32_t minimum = kAll;  // how many of them must be placed for the unit to count
  TopologyAsk topology;
  bool gathers = false;  // its minimum is enough, but it starts when all are there: they share one domain
  bool alone = false;    // as in Membership
  bool exists = true;    // its owner exists in the group's current attempt
  // The template its pods will be made from; set only for a unit that comes later than the others of its
  // group (a stage that waits for Ready): room is kept for it.
  std::shared_ptr<const kube::PodTemplate> later_template;
};

// How many of the unit's members must be placed for it to count: its minimum, at most as many as there are to
// be.
std::int32_t NeededMembers(const UnitSpec& unit);

// An object behind a group: what is suspended and resumed, or carries Cadre's annotations.
struct OwnerObject {
  kube::Kind kind{};
  std::string namespace_;
  std::string name;
  std::string uid;
  kube::StringMap annotations;
  bool suspended = false;
  bool finished = false;
  bool deleting = false;
};

struct GroupSpec {
  GroupKey key;
  Time created{};               // the age that counts in the queue
  std::vector<UnitSpec> units;  // in spec order
  std::int32_t minimum_units = UnitSpec::kAll;
  TopologyAsk topology;  // for the whole group
  // How long one run of it can be, where somebody says so: counted from its start, and until when at the
  // latest.
  std::optional<Duration> max_duration;
  std::optional<Time> ends_by;
  std::vector<OwnerObject>
      owners;  // what can be suspended: the Job or JobSet; those of a PodGroup's pods; none for plain pods
  std::optional<OwnerObject>
      record;  // what carries Cadre's annotations about the group; none: the pods themselves do
  bool pods_come_again = false;  // without owners: somebody makes its pods anew all the same
  std::string problem;  // not empty: it cannot start as it is, and why ("PodGroup default/x does not exist")
};

// The unit of this name; null when the group has none.
const UnitSpec* FindUnit(const GroupSpec& spec, std::string_view name);

// Does the group, or one of its units, ask for a domain of its own?
bool WantsOwnDomain(const GroupSpec& spec);

}  // namespace cadre::model

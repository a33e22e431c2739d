// What is to be placed: a tree of units (group → subgroups → …) with members at any level, and the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/meta.h"
#include "model/group.h"
#include "model/ids.h"

namespace cadre::match {

struct Member {
  model::ShapeId shape;
  kube::StringMap labels;  // the pod's, or its template's; its namespace is the shape's
  std::optional<model::NodeId>
      fixed;  // already holds its place there (bound, assumed or reserved): counted, never moved
  std::optional<model::NodeId> hint;  // where it should go if that is still right (an old plan)
};

struct Unit {
  static constexpr std::int32_t kAll = -1;

  std::string name;  // for messages: "JobSet default/train", "role workers"
  std::int32_t minimum =
      kAll;  // how many of its parts (units + members) must be placed; the rest as many as fit
  model::TopologyAsk topology = {};  // of all that is placed below
  bool same_tenant = false;          // to claims it is the unit around it (NormalForm makes such)
  bool alone = false;  // one pod, now and ever: it may share the domain of a claim of scope kGroups
  std::vector<Unit> units;
  std::vector<Member> members;
};

struct Request {
  Unit root;
  // The tenant that the root is (model::TenantGroupOf); units of the root are tenants by their names. Needed
  // only where claims are.
  std::string group = {};
};

// Members are numbered depth first: a unit's own members, then those of its units, in order.
std::size_t MemberCount(const Unit& unit);

struct Placement {
  std::vector<model::NodeId> nodes;  // by member number; invalid: not placed (beyond the minimum)
};

// The three kinds of "no", and the honest fourth.
enum class No : std::uint8_t {
  kNever,        // not on the nodes that are there, were they empty but for DaemonSet and static pods
  kNotNow,       // it would fit an emptier cluster
  kConstraints,  // there is room now, but a constraint of the group or of a pod that runs forbids it
  kGaveUp,       // the search ended at its bound; no claim is made
};

struct Diagnosis {
  No kind = No::kNotNow;
  // One sentence for people, with numbers: what is needed, what the best place offers, what is in the way.
  std::string message;
};

}  // namespace cadre::match

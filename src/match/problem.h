// A request as the search works on it: the tree without the units that say nothing, members in classes of
// equals.
//
// A unit of which all parts must be placed, with no topology of its own, inside a unit of which all parts
// must be placed, says nothing: its parts become parts of the outer one. Members of one unit that nothing can
// tell apart (same shape, same values of every label that some term looks at) are one class; classes of all
// units with the same shape and labels share a role. Refers to the request, the node table and the cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "match/node_table.h"
#include "match/request.h"
#include "match/terms.h"

namespace cadre::match {

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// kMinimum: every unit needs its minimum. kEverything: every part of every unit is needed.
enum class Goal : std::uint8_t { kMinimum, kEverything };

struct ProblemUnit {
  const Unit* source = nullptr;
  std::size_t parent = kNone;
  std::vector<std::size_t> units;
  std::vector<std::size_t> classes;
  std::vector<std::size_t> all_classes;  // of the units below too
  bool all = false;                      // needs every part
  std::int64_t parts = 0;                // members and units
  std::int64_t need = 0;                 // how many parts must be placed for the unit to be placed
  std::int64_t placed = 0;               // parts that are placed before the search begins
  std::int64_t open = 0;                 // parts that the search decides
  const Domains* domains = nullptr;      // of its required topology, or of its exclusive one
  bool exclusive = false;                // the domain is to be its own
  model::ExclusiveScope scope = model::ExclusiveScope::kGroups;
  bool alone = false;               // Unit::alone, and asks for no domain of its own
  std::string tenant_unit;          // who it is to claims: "" for the root, else the name of the root's unit
  std::int32_t pinned = kNoDomain;  // where members that are placed already hold it
  bool holds = false;        // a fixed member is in its domain: that cannot be mended, whoever else is there
  bool torn = false;         // ...and they do so in two domains, or outside of all: it can never be placed
  bool must = false;         // a member below is placed as hinted, so the unit cannot be left out
  std::size_t twin = kNone;  // the sibling just before it that differs in nothing
};

struct ProblemClass {
  std::size_t unit;
  std::size_t shape;  // index into Problem::shapes
  std::size_t role;
  std::vector<std::uint32_t> members;  // numbers, ascending
};

struct ProblemShape {
  model::ShapeId id;
  std::vector<std::int64_t> requests;  // by Problem::resources
  std::vector<std::size_t> asks;       // the resources with requests > 0
  std::int64_t share = 0;              // of the largest node, in 1/4096: the largest over its resources
  std::int32_t extended = 0;           // how many extended resources it asks for
  bool has_ports = false;
};

// A member that has its place before the search begins.
struct PrePlaced {
  std::uint32_t member;
  std::size_t shape;
  std::size_t role;
  std::size_t unit;
  NodeIndex node;
  bool hinted;    // otherwise fixed
  bool consumes;  // false: the cluster counts it already
};

struct Problem {
  std::vector<ProblemUnit> units;  // [0] is the root; parents come before their units
  std::vector<ProblemClass> classes;
  std::vector<Role> roles;  // in order of their first member
  std::vector<ProblemShape> shapes;
  std::vector<model::ResourceId> resources;  // that some member asks for, by name
  std::vector<std::int64_t> largest;         // of each, what the largest node has in all
  std::vector<PrePlaced> pre;
  std::size_t member_count = 0;
  std::string group;     // Request::group
  bool elastic = false;  // some unit can do with less than all of its parts
};

// `places`: where members with a right hint go, by member number; may be empty.
Problem MakeProblem(NodeTable& nodes, const Request& request, const Rules& rules, View view, Goal goal,
                    const std::map<std::uint32_t, NodeIndex>& places);

}  // namespace cadre::match

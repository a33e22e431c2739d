#include "match/state.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace cadre::match {
namespace {

std::uint64_t Mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

constexpr std::uint64_t kPlacement = 1;
constexpr std::uint64_t kDecision = 2;

}  // namespace

State::State(NodeTable& nodes, const Problem& problem, const Rules& rules, View view)
    : nodes_(&nodes),
      problem_(&problem),
      view_(view),
      terms_(nodes, problem.roles, rules, view),
      territory_(nodes, problem, rules, view),
      resource_count_(problem.resources.size()),
      members_(nodes.size(), 0),
      closed_(problem.classes.size(), -1) {
  free_.reserve(nodes.size() * resource_count_);
  for (NodeIndex node = 0; node < nodes.size(); ++node) {
    const model::NodeEntry& entry = nodes.entry(node);
    for (const model::ResourceId resource : problem.resources) {
      free_.push_back(view == View::kNow ? entry.Free(resource) : entry.FreeWhenEmpty(resource));
    }
  }
  for (const ProblemShape& shape : problem.shapes)
    ports_held_ = ports_held_ || (shape.has_ports && rules.host_ports);
  if (ports_held_) {
    for (NodeIndex node = 0; node < nodes.size(); ++node) {
      ports_.push_back(PortsInUse(nodes.cluster(), nodes.entry(node), view));
    }
  }
  for (const ProblemClass& cls : problem.classes)
    left_.push_back(static_cast<std::int64_t>(cls.members.size()));
  for (const ProblemUnit& unit : problem.units)
    units_.push_back({.placed = unit.placed, .open = unit.open});
  InitRooms(rules);
  // Units of which nothing is left to decide are never started.
  for (std::size_t unit = 0; unit < problem.units.size(); ++unit) {
    if (problem.units[unit].all_classes.empty()) territory_.Start(unit, problem.units[unit].pinned);
  }
  for (const PrePlaced& pre : problem.pre) {
    ++members_[pre.node];
    if (!pre.consumes) continue;
    Consume(pre.shape, pre.node, 1);
    terms_.Add(pre.role, pre.node, 1);
  }
}

void State::InitRooms(const Rules& rules) {
  for (std::size_t shape = 0; shape < problem_->shapes.size(); ++shape) {
    const std::vector<Misfit>& misfits = nodes_->Misfits(problem_->shapes[shape].id, rules);
    std::vector<bool>& may_take = may_take_.emplace_back(misfits.size());
    for (NodeIndex node = 0; node < misfits.size(); ++node)
      may_take[node] = misfits[node] == Misfit::kNone;
    std::vector<std::int32_t>& room = room_.emplace_back(misfits.size(), 0);
    for (NodeIndex node = 0; node < misfits.size(); ++node)
      room[node] = RoomFor(shape, node);
  }
}

std::int32_t State::RoomFor(std::size_t shape, NodeIndex node) const {
  if (!may_take_[shape][node]) return 0;
  const ProblemShape& s = problem_->shapes[shape];
  std::int64_t room = std::numeric_limits<std::int32_t>::max();
  for (const std::size_t r : s.asks) {
    const std::int64_t free = Free(node, r);
    if (free < s.requests[r]) return 0;
    room = std::min(room, free / s.requests[r]);
  }
  if (ports_held_ && s.has_ports) {
    // Two of a kind want the same port.
    room = AnyCollide(nodes_->cluster().shape(s.id).host_ports, ports_[node])
               ? 0
               : std::min<std::int64_t>(room, 1);
  }
  return static_cast<std::int32_t>(room);
}

void State::Recount(NodeIndex node) {
  for (std::size_t shape = 0; shape < room_.size(); ++shape)
    room_[shape][node] = RoomFor(shape, node);
}

bool State::SameRoom(NodeIndex a, NodeIndex b) const {
  for (std::size_t r = 0; r < resource_count_; ++r) {
    if (Free(a, r) != Free(b, r)) return false;
  }
  return std::ranges::all_of(room_,
                             [&](const std::vector<std::int32_t>& room) { return room[a] == room[b]; });
}

// Negative counts give back.
void State::Consume(std::size_t shape, NodeIndex node, std::int32_t count) {
  const ProblemShape& s = problem_->shapes[shape];
  for (const std::size_t r : s.asks)
    free_[node * resource_count_ + r] -= s.requests[r] * count;
  if (ports_held_ && s.has_ports) {
    const std::vector<model::HostPort>& mine = nodes_->cluster().shape(s.id).host_ports;
    std::vector<model::HostPort>& held = ports_[node];
    if (count > 0) {
      held.insert(held.end(), mine.begin(), mine.end());
    } else {
      held.resize(held.size() - mine.size());
    }
  }
  Recount(node);
}

void State::Rename(std::uint64_t kind, std::uint64_t x, std::uint64_t y, std::int32_t times) {
  const std::uint64_t mixed = Mix(Mix(Mix(kind) + x) + y);
  const auto weight = static_cast<std::uint64_t>(static_cast<std::int64_t>(times));
  name_.a += mixed * weight;
  name_.b += Mix(mixed) * weight;
}

void State::Place(std::size_t cls, NodeIndex node, std::int32_t count) {
  const ProblemClass& c = problem_->classes[cls];
  Consume(c.shape, node, count);
  terms_.Add(c.role, node, count);
  members_[node] += count;
  left_[cls] -= count;
  units_[c.unit].placed += count;
  units_[c.unit].open -= count;
  Rename(kPlacement, cls, node, count);
  log_.push_back({cls, node, count});
}

void State::RemoveLast(std::int32_t count) {
  Placed& last = log_.back();
  CADRE_ASSERT(count <= last.count, "State::RemoveLast of more than was placed last");
  const ProblemClass& c = problem_->classes[last.cls];
  Consume(c.shape, last.node, -count);
  terms_.Add(c.role, last.node, -count);
  members_[last.node] -= count;
  left_[last.cls] += count;
  units_[c.unit].placed -= count;
  units_[c.unit].open += count;
  Rename(kPlacement, last.cls, last.node, -count);
  last.count -= count;
  if (last.count == 0) log_.pop_back();
}

void State::Close(std::size_t cls) {
  closed_[cls] = left_[cls];
  left_[cls] = 0;
  units_[problem_->classes[cls].unit].open -= closed_[cls];
}

void State::Reopen(std::size_t cls) {
  left_[cls] = closed_[cls];
  units_[problem_->classes[cls].unit].open += closed_[cls];
  closed_[cls] = -1;
}

std::vector<bool> State::Claimable(std::size_t unit) const {
  std::vector<Occupied> occupied;
  for (const Placed& placed : log_)
    occupied.push_back({problem_->classes[placed.cls].unit, placed.node});
  for (const PrePlaced& pre : problem_->pre)
    occupied.push_back({pre.unit, pre.node});
  return territory_.Claimable(unit, occupied);
}

bool State::Alive(std::size_t unit) const {
  for (std::size_t u = unit; u != kNone; u = problem_->units[u].parent) {
    if (units_[u].status == Status::kSkipped) return false;
  }
  return true;
}

void State::Start(std::size_t unit, std::int32_t domain) {
  units_[unit].status = Status::kStarted;
  units_[unit].domain = domain;
  territory_.Start(unit, domain);
  Rename(kDecision, unit, static_cast<std::uint64_t>(domain) + 3, 1);
  const std::size_t parent = problem_->units[unit].parent;
  if (parent == kNone) return;
  ++units_[parent].placed;
  --units_[parent].open;
}

void State::Skip(std::size_t unit) {
  units_[unit].status = Status::kSkipped;
  Rename(kDecision, unit, 0, 1);
  const std::size_t parent = problem_->units[unit].parent;
  if (parent != kNone) --units_[parent].open;
}

void State::Undecide(std::size_t unit) {
  UnitState& state = units_[unit];
  const bool started = state.status == Status::kStarted;
  Rename(kDecision, unit, started ? static_cast<std::uint64_t>(state.domain) + 3 : 0, -1);
  if (started) territory_.Undecide(unit, state.domain);
  state.status = Status::kUndecided;
  state.domain = kNoDomain;
  const std::size_t parent = problem_->units[unit].parent;
  if (parent == kNone) return;
  if (started) --units_[parent].placed;
  ++units_[parent].open;
}

bool State::SequenceHolds(const std::vector<std::size_t>& role_order) {
  std::vector<std::vector<NodeIndex>> waiting(problem_->roles.size());
  for (const PrePlaced& pre : problem_->pre) {
    if (pre.hinted) waiting[pre.role].push_back(pre.node);  // what is fixed stands before all
  }
  for (const Placed& placed : log_) {
    for (std::int32_t i = 0; i < placed.count; ++i)
      waiting[problem_->classes[placed.cls].role].push_back(placed.node);
  }
  for (std::size_t role = 0; role < waiting.size(); ++role) {
    for (const NodeIndex node : waiting[role])
      terms_.Add(role, node, -1);
  }
  bool holds = true;
  for (const std::size_t role : role_order) {
    std::vector<NodeIndex>& left = waiting[role];
    while (!left.empty()) {
      auto next = std::ranges::find_if(left, [&](NodeIndex node) { return terms_.Allows(role, node); });
      if (next == left.end()) {
        holds = false;
        next = left.begin();  // to leave the counts as they were found
      }
      terms_.Add(role, *next, 1);
      left.erase(next);
    }
  }
  return holds;
}

std::int64_t MustPlace(const State& state, std::size_t cls) {
  const std::size_t unit = state.problem().classes[cls].unit;
  const std::int64_t others = state.PartsOpen(unit) - state.Left(cls);
  return std::max<std::int64_t>(0, state.Lacks(unit) - others);
}

std::int64_t Wanted(const State& state, std::size_t cls) {
  return std::clamp<std::int64_t>(state.Lacks(state.problem().classes[cls].unit), 0, state.Left(cls));
}

}  // namespace cadre::match

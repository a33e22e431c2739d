#include "queue/foresight.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "match/node_table.h"

namespace cadre::queue {
namespace {

// Where more room may hurt, instants are looked at one by one, at most so many.
constexpr std::size_t kMostInstants = 64;

void Collect(const match::Unit& unit, std::vector<const match::Member*>& members) {
  for (const match::Member& member : unit.members)
    members.push_back(&member);
  for (const match::Unit& child : unit.units)
    Collect(child, members);
}

// How many members of a shape there must be at the least.
void CountNeeds(const match::Unit& unit, std::map<model::ShapeId, std::int64_t>& needs) {
  if (unit.minimum != match::Unit::kAll) return;
  for (const match::Member& member : unit.members)
    needs[member.shape] += member.fixed ? 0 : 1;
  for (const match::Unit& child : unit.units)
    CountNeeds(child, needs);
}

// How many pods of the shape the amounts of a node allow, whatever else is asked.
template <class FreeOf>
std::int64_t RoomFor(const model::Shape& shape, const model::NodeEntry& node, FreeOf free_of) {
  if (!node.Present()) return 0;
  std::int64_t room = std::numeric_limits<std::int32_t>::max();
  for (const model::Amount& request : shape.requests)
    room = std::min(room, std::max<std::int64_t>(0, free_of(node, request.resource)) / request.amount);
  return room;
}

std::int64_t FreeNow(const model::NodeEntry& node, model::ResourceId resource) {
  return node.Free(resource);
}

std::int64_t FreeWhenEmpty(const model::NodeEntry& node, model::ResourceId resource) {
  return node.FreeWhenEmpty(resource);
}

bool MoreRoomNeverHurts(const model::Cluster& cluster, const match::Request& request) {
  return std::ranges::none_of(MembersOf(request), [&](const match::Member* member) {
    const model::Shape& shape = cluster.shape(member->shape);
    return !shape.affinity.empty() || !shape.spread.empty();
  });
}

// The sums of room by shape, kept up while pods leave: no search before they allow a start.
class QuickLook {
 public:
  QuickLook(const model::Cluster& cluster, const match::Request& request) : cluster_(cluster) {
    std::map<model::ShapeId, std::int64_t> needs;
    CountNeeds(request.root, needs);
    for (const auto& [shape, need] : needs) {
      if (need == 0) continue;
      Row row{&cluster.shape(shape), need, 0, std::vector<std::int64_t>(cluster.nodes().size(), 0)};
      for (std::size_t node = 0; node < row.by_node.size(); ++node) {
        row.by_node[node] = RoomFor(*row.shape, cluster.nodes()[node], FreeNow);
        row.room += row.by_node[node];
      }
      rows_.push_back(std::move(row));
    }
  }

  void LookAgain(model::NodeId node) {
    for (Row& row : rows_) {
      const std::int64_t room = RoomFor(*row.shape, cluster_.node(node), FreeNow);
      row.room += room - std::exchange(row.by_node[node.Index()], room);
    }
  }

  bool Allows() const {
    return std::ranges::all_of(rows_, [](const Row& row) { return row.room >= row.need; });
  }

 private:
  struct Row {
    const model::Shape* shape;
    std::int64_t need;
    std::int64_t room;
    std::vector<std::int64_t> by_node;
  };
  const model::Cluster& cluster_;
  std::vector<Row> rows_;
};

// Walks through the instants at which somebody leaves.
class Walk {
 public:
  Walk(model::Cluster& cluster, const match::Request& head, std::span<const Departure> departures,
       match::Finder& finder, std::uint64_t& searches)
      : hypothesis_(cluster), head_(head), departures_(departures), finder_(finder), searches_(searches) {
    for (std::size_t i = 0; i < departures.size(); ++i) {
      if (i + 1 == departures.size() || departures[i + 1].at != departures[i].at) ends_.push_back(i + 1);
    }
  }

  std::optional<Foresight> Run() {
    std::size_t instant = 0;
    {
      QuickLook look(hypothesis_.cluster(), head_);
      for (; instant < ends_.size(); ++instant) {
        GoTo(instant, &look);
        if (look.Allows()) break;
      }
    }
    if (instant == ends_.size()) return std::nullopt;
    if (!MoreRoomNeverHurts(hypothesis_.cluster(), head_)) return OneByOne(instant);
    return Bisect(instant);
  }

 private:
  // In steps that double until there is a place, then between the last two.
  std::optional<Foresight> Bisect(std::size_t first) {
    std::size_t below = first;  // all before it have no place
    std::size_t at = first;
    std::size_t step = 1;
    std::optional<Foresight> found = TryAt(at);
    while (!found) {
      below = at + 1;
      if (below >= ends_.size()) return std::nullopt;
      at = std::min(at + step, ends_.size() - 1);
      step *= 2;
      found = TryAt(at);
    }
    while (below < at) {
      const std::size_t middle = below + (at - below) / 2;
      if (auto earlier = TryAt(middle)) {
        found = std::move(earlier);
        at = middle;
      } else {
        below = middle + 1;
      }
    }
    return found;
  }

  std::optional<Foresight> OneByOne(std::size_t first) {
    for (std::size_t i = first; i < std::min(first + kMostInstants, ends_.size()); ++i) {
      if (auto found = TryAt(i)) return found;
    }
    return std::nullopt;
  }

  std::optional<Foresight> TryAt(std::size_t instant) {
    GoTo(instant, nullptr);
    ++searches_;
    auto placement = finder_.Place(head_);
    if (!placement) return std::nullopt;
    return Foresight{departures_[ends_[instant] - 1].at, ends_[instant], *std::move(placement)};
  }

  void GoTo(std::size_t instant, QuickLook* look) {
    if (instant + 1 < marks_.size()) {
      hypothesis_.BackTo(marks_[instant + 1]);
      marks_.resize(instant + 1);
    }
    while (marks_.size() <= instant) {
      marks_.push_back(hypothesis_.Here());
      const std::size_t i = marks_.size() - 1;
      const std::size_t from = i == 0 ? 0 : ends_[i - 1];
      const auto leaving = departures_.subspan(from, ends_[i] - from);
      std::vector<model::NodeId> nodes;
      if (look != nullptr) nodes = NodesOf(leaving);
      Leave(hypothesis_, leaving);
      for (const model::NodeId node : nodes)
        look->LookAgain(node);
    }
  }

  std::vector<model::NodeId> NodesOf(std::span<const Departure> leaving) const {
    const model::Cluster& cluster = hypothesis_.cluster();
    std::vector<model::NodeId> nodes;
    for (const Departure& departure : leaving) {
      for (const model::PodId pod : departure.pods) {
        if (cluster.pod(pod).node.Valid()) nodes.push_back(cluster.pod(pod).node);
      }
      for (const std::string& key : departure.reservations) {
        const auto found = cluster.reservations().find(key);
        if (found != cluster.reservations().end()) nodes.push_back(found->second.node);
      }
    }
    return nodes;
  }

  model::Hypothesis hypothesis_;
  const match::Request& head_;
  std::span<const Departure> departures_;
  match::Finder& finder_;
  std::uint64_t& searches_;
  std::vector<std::size_t> ends_;               // by instant: how many have left by then
  std::vector<model::Hypothesis::Mark> marks_;  // by instant: before those who leave then
};

// All that can leave the node does.
void Empty(model::Hypothesis& hypothesis, model::NodeId id) {
  const model::Cluster& cluster = hypothesis.cluster();
  const model::NodeEntry& node = cluster.node(id);
  const std::vector<model::PodId> pods(node.pods.begin(), node.pods.end());
  for (const model::PodId pod : pods) {
    const model::PodEntry& entry = cluster.pod(pod);
    if (model::IsPermanent(*entry.pod)) continue;
    if (entry.tenant.Valid()) hypothesis.DropClaims(cluster.tenant(entry.tenant).group);
    hypothesis.Leave(pod);
  }
  const std::vector<std::string> kept(node.reservations.begin(), node.reservations.end());
  for (const std::string& key : kept)
    hypothesis.Release(key);
}

// Nodes that could hold some member, in the order in which they are emptied.
class Emptying {
 public:
  Emptying(model::Cluster& cluster, const match::Request& head) : cluster_(cluster), key_(KeyOfAll(head)) {
    for (const match::Member* member : MembersOf(head)) {
      if (!member->fixed) ++shapes_[member->shape];
    }
    std::map<std::vector<std::string>, Group> domains;
    for (const auto& [name, id] : cluster.nodes_by_name()) {
      const model::NodeEntry& node = cluster.node(id);
      if (!node.Present()) continue;
      if (!key_.empty() && !node.node->metadata.labels.contains(key_)) continue;
      const Candidate candidate = CandidateOf(id);
      if (candidate.room_when_empty == 0) continue;
      Group& group =
          domains[key_.empty() ? std::vector<std::string>{} : match::PathValuesOf(*node.node, key_)];
      group.room += candidate.room;
      group.nodes.push_back(candidate);
    }
    for (auto& [path, group] : domains) {
      std::ranges::stable_sort(group.nodes, [](const Candidate& a, const Candidate& b) {
        return std::tuple(-a.room, a.used) < std::tuple(-b.room, b.used);
      });
      groups_.push_back(std::move(group));
    }
    std::ranges::stable_sort(groups_, [](const Group& a, const Group& b) { return a.room > b.room; });
  }

  std::size_t groups() const { return groups_.size(); }
  std::size_t NodesIn(std::size_t group) const { return groups_[group].nodes.size(); }
  // The first `count` nodes of a group lose all that can leave.
  void EmptyFirst(model::Hypothesis& hypothesis, std::size_t group, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i)
      Empty(hypothesis, groups_[group].nodes[i].id);
  }

 private:
  struct Candidate {
    model::NodeId id;
    std::int64_t room = 0;  // members that fit now
    std::int64_t room_when_empty = 0;
    double used = 0;  // the largest share of a resource that could become free
  };
  struct Group {
    std::int64_t room = 0;
    std::vector<Candidate> nodes;
  };

  Candidate CandidateOf(model::NodeId id) const {
    const model::NodeEntry& node = cluster_.node(id);
    Candidate candidate{.id = id};
    for (const auto& [shape_id, count] : shapes_) {
      const model::Shape& shape = cluster_.shape(shape_id);
      candidate.room = std::max(candidate.room, std::min(count, RoomFor(shape, node, FreeNow)));
      candidate.room_when_empty =
          std::max(candidate.room_when_empty, std::min(count, RoomFor(shape, node, FreeWhenEmpty)));
      for (const model::Amount& request : shape.requests) {
        const auto all = static_cast<double>(std::max<std::int64_t>(1, node.FreeWhenEmpty(request.resource)));
        candidate.used =
            std::max(candidate.used, 1.0 - static_cast<double>(node.Free(request.resource)) / all);
      }
    }
    return candidate;
  }

  model::Cluster& cluster_;
  const std::string key_;
  std::map<model::ShapeId, std::int64_t> shapes_;
  std::vector<Group> groups_;  // domains, those with the most room first
};

}  // namespace

void Sort(std::vector<Departure>& departures) {
  std::ranges::stable_sort(departures, [](const Departure& a, const Departure& b) {
    return std::tie(a.at, a.who) < std::tie(b.at, b.who);
  });
}

std::optional<Foresight> Foresee(model::Cluster& cluster, const match::Request& head,
                                 std::span<const Departure> departures, match::Finder& finder,
                                 std::uint64_t& searches) {
  return Walk(cluster, head, departures, finder, searches).Run();
}

void Leave(model::Hypothesis& hypothesis, std::span<const Departure> departures) {
  for (const Departure& departure : departures) {
    for (const model::PodId pod : departure.pods)
      hypothesis.Leave(pod);
    for (const std::string& key : departure.reservations)
      hypothesis.Release(key);
    if (!departure.tenants.empty()) hypothesis.DropClaims(departure.tenants);
  }
}

std::optional<Nearest> FindNearest(model::Cluster& cluster, const match::Request& head, match::Finder& finder,
                                   std::uint64_t& searches) {
  constexpr std::size_t kMostDomains = 16;
  const Emptying emptying(cluster, head);
  std::optional<Nearest> best;
  for (std::size_t group = 0; group < std::min(emptying.groups(), kMostDomains) && !best; ++group) {
    const auto with = [&](std::size_t count) {
      model::Hypothesis hypothesis(cluster);
      emptying.EmptyFirst(hypothesis, group, count);
      ++searches;
      return finder.Place(head);
    };
    // As few nodes as it takes, in steps that double and then between the last two.
    std::size_t below = 1;
    std::size_t count = std::min<std::size_t>(1, emptying.NodesIn(group));
    std::optional<match::Placement> found = with(count);
    while (!found && count < emptying.NodesIn(group)) {
      below = count + 1;
      count = std::min(count * 2, emptying.NodesIn(group));
      found = with(count);
    }
    while (found && below < count) {
      const std::size_t middle = below + (count - below) / 2;
      if (auto fewer = with(middle)) {
        found = std::move(fewer);
        count = middle;
      } else {
        below = middle + 1;
      }
    }
    if (!found) continue;
    const std::int64_t lacking = CountLacking(cluster, head, *found).value_or(0);
    best = Nearest{*std::move(found), lacking};
  }
  return best;
}

bool CouldHold(model::Cluster& cluster, const match::Request& head, const match::Placement& placement,
               match::Finder& finder, std::uint64_t& searches) {
  model::Hypothesis hypothesis(cluster);
  for (const model::NodeId node : placement.nodes) {
    if (node.Valid() && cluster.node(node).Present()) Empty(hypothesis, node);
  }
  ++searches;
  return finder.Place(head).has_value();
}

std::optional<std::int64_t> CountLacking(const model::Cluster& cluster, const match::Request& head,
                                         const match::Placement& placement) {
  std::map<std::pair<model::NodeId, model::ResourceId>, std::int64_t> left;
  std::int64_t lacking = 0;
  const std::vector<const match::Member*> members = MembersOf(head);
  if (members.size() != placement.nodes.size()) return std::nullopt;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const model::NodeId id = placement.nodes[i];
    if (members[i]->fixed || !id.Valid()) continue;
    const model::NodeEntry& node = cluster.node(id);
    if (!node.Present()) return std::nullopt;
    bool fits = true;
    const std::vector<model::Amount>& requests = cluster.shape(members[i]->shape).requests;
    for (const model::Amount& request : requests) {
      const auto [free, added] = left.try_emplace({id, request.resource}, node.Free(request.resource));
      fits &= free->second >= request.amount;
    }
    lacking += fits ? 0 : 1;
    for (const model::Amount& request : requests) {
      if (fits) left[{id, request.resource}] -= request.amount;
    }
  }
  return lacking;
}

std::vector<std::pair<model::NodeId, model::Amount>> DemandOf(const model::Cluster& cluster,
                                                              const match::Request& request,
                                                              const match::Placement& placement) {
  std::map<std::pair<model::NodeId, model::ResourceId>, std::int64_t> sums;
  const std::vector<const match::Member*> members = MembersOf(request);
  for (std::size_t i = 0; i < members.size() && i < placement.nodes.size(); ++i) {
    if (members[i]->fixed || !placement.nodes[i].Valid()) continue;
    for (const model::Amount& amount : cluster.shape(members[i]->shape).requests)
      sums[{placement.nodes[i], amount.resource}] += amount.amount;
  }
  std::vector<std::pair<model::NodeId, model::Amount>> demand;
  demand.reserve(sums.size());
  for (const auto& [where, amount] : sums)
    demand.push_back({where.first, {where.second, amount}});
  return demand;
}

std::string KeyOfAll(const match::Request& request) {
  const auto key_of = [](const match::Unit& unit) {
    return unit.topology.required.empty() ? unit.topology.exclusive : unit.topology.required;
  };
  std::string key = key_of(request.root);
  if (key.empty() && request.root.members.empty() && request.root.units.size() == 1)
    key = key_of(request.root.units.front());
  return key;
}

std::vector<const match::Member*> MembersOf(const match::Request& request) {
  std::vector<const match::Member*> members;
  Collect(request.root, members);
  return members;
}

}  // namespace cadre::queue

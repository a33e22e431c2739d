#include "match/finder.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "match/candidates.h"
#include "match/diagnose.h"
#include "match/pod_terms.h"
#include "match/preferences.h"
#include "match/quick_no.h"
#include "match/room_index.h"
#include "match/solve.h"

namespace cadre::match {
namespace {

// More pairs of pods than this are not looked at one by one.
constexpr std::size_t kMostPairs = 10'000;
constexpr std::size_t kMostKeptNevers = 1024;

// What keeps the index from speaking for a member: it knows resources and nodes, not other pods.
bool IsPlain(const model::Shape& shape) {
  return !shape.HasTerms() && shape.host_ports.empty() && shape.missing_claims.empty();
}

// Equal texts, equal answers, as far as only the nodes and what is always on them matter.
void AppendSignature(const Unit& unit, std::string& text) {
  fmt::format_to(std::back_inserter(text), "({} {} {} {} {}", unit.minimum, unit.topology.required,
                 unit.topology.exclusive, static_cast<int>(unit.topology.scope), unit.alone ? 1 : 0);
  std::size_t same = 0;
  for (std::size_t i = 0; i < unit.members.size(); i += same) {
    same = 1;
    while (i + same < unit.members.size() && unit.members[i + same].shape == unit.members[i].shape)
      ++same;
    fmt::format_to(std::back_inserter(text), " {}x{}", unit.members[i].shape.value, same);
  }
  for (const Unit& child : unit.units)
    AppendSignature(child, text);
  text += ')';
}

bool WantsOwnDomain(const Unit& unit) {
  return !unit.topology.exclusive.empty() || std::ranges::any_of(unit.units, WantsOwnDomain);
}

}  // namespace

class Finder::Impl {
 public:
  Impl(const model::Cluster& cluster, Limits limits) : cluster_(cluster), limits_(limits), index_(cluster) {}

  std::expected<Placement, Diagnosis> Match(const Request& request) {
    const Preferences preferences(request);
    auto [how, placement] = Find(request, preferences);
    if (how == How::kFound) return std::move(placement);
    if (how == How::kUnknown) {
      ++counters_.searched;
      return match::Match(cluster_, request, limits_);
    }
    return std::unexpected(WhyNot(preferences.Plain()));
  }

  std::optional<Placement> Place(const Request& request) {
    const Preferences preferences(request);
    auto [how, placement] = Find(request, preferences);
    if (how == How::kFound) return std::move(placement);
    if (how == How::kImpossible) return std::nullopt;
    ++counters_.searched;
    return match::Place(cluster_, request, limits_);
  }

  const Counters& counters() const { return counters_; }
  const RoomIndex& index() const { return index_; }

 private:
  enum class How : std::uint8_t { kFound, kImpossible, kUnknown };
  struct Found {
    How how = How::kUnknown;
    Placement placement;
  };

  Found Find(const Request& request, const Preferences& preferences) {
    if (!Speaks(request)) return {};
    index_.Sync();
    Found found{How::kImpossible, {}};
    for (const std::vector<std::size_t>& steps : preferences.Tries()) {
      found = FindPlain(preferences.Apply(steps));
      if (found.how != How::kImpossible) break;
    }
    if (found.how != How::kUnknown) ++counters_.indexed;
    return found;
  }

  Found FindPlain(const Request& request) {
    const Problem problem = MakeProblem(index_.nodes(), request, Rules{}, View::kNow, Goal::kEverything, {});
    if (problem.elastic || problem.classes.empty()) return {};
    Candidates candidates(index_, problem, View::kNow);
    if (candidates.Impossible()) return {IsElastic(request.root) ? How::kUnknown : How::kImpossible, {}};
    while (const auto nodes = candidates.Next()) {
      if (auto placement = SearchIn(*nodes, request)) return {How::kFound, *std::move(placement)};
    }
    return {};
  }

  // The search proper, as if there were no other nodes.
  std::optional<Placement> SearchIn(const std::vector<NodeIndex>& nodes, const Request& request) {
    std::vector<model::NodeId> ids;
    ids.reserve(nodes.size());
    for (const NodeIndex node : nodes)
      ids.push_back(index_.nodes().id(node));
    NodeTable table(cluster_, std::move(ids), index_.Largest());
    Budget budget(limits_.steps / Candidates::kMostSets);
    const Answer answer = Solve(table, request, {}, budget);
    if (answer.outcome != Outcome::kFound) return std::nullopt;
    Placement placement;
    placement.nodes.reserve(answer.nodes.size());
    for (const NodeIndex node : answer.nodes)
      placement.nodes.push_back(node == kNoNode ? model::NodeId{} : table.id(node));
    return placement;
  }

  // May the index answer for all of this request?
  bool Speaks(const Request& request) const {
    if (!IsFresh(request.root)) return false;
    const bool domains_matter = WantsOwnDomain(request.root) || !cluster_.domain_claims().empty();
    if (domains_matter && BelongsToSomething(request.group)) return false;
    return !IsKeptAway(request);
  }

  bool IsFresh(const Unit& unit) const {
    model::ShapeId last;
    for (const Member& member : unit.members) {
      if (member.fixed || member.hint) return false;
      if (member.shape != last && !IsPlain(cluster_.shape(member.shape))) return false;
      last = member.shape;
    }
    return std::ranges::all_of(unit.units, [this](const Unit& child) { return IsFresh(child); });
  }

  // The group has a claim, or pods somewhere, so that it is not a stranger everywhere.
  bool BelongsToSomething(const std::string& group) const {
    const auto claim = cluster_.domain_claims().lower_bound({group, {}});
    return (claim != cluster_.domain_claims().end() && claim->first.group == group) ||
           !cluster_.HoldingUnits(group).empty();
  }

  // Whose anti-affinity it is. Pods of one shape mean the same, unless a term looks at their own labels.
  struct Repelling {
    model::ShapeId shape;
    const kube::StringMap* labels;
  };

  // Does the anti-affinity of a pod that is there mean a member?
  bool IsKeptAway(const Request& request) const {
    std::vector<Repelling> repelling;
    std::set<model::ShapeId> seen;
    const auto add = [&](model::ShapeId shape, const kube::StringMap& labels) {
      const std::vector<kube::PodAffinityTerm>& terms = cluster_.shape(shape).anti_affinity;
      const bool own = std::ranges::any_of(terms, [](const kube::PodAffinityTerm& term) {
        return !term.match_label_keys.empty() || !term.mismatch_label_keys.empty();
      });
      if (!terms.empty() && (own || seen.insert(shape).second)) repelling.push_back({shape, &labels});
    };
    for (const model::PodId id : cluster_.anti_affinity_pods())
      add(cluster_.pod(id).shape, cluster_.pod(id).pod->metadata.labels);
    for (const auto& [key, reservation] : cluster_.reservations())
      add(reservation.shape, reservation.labels);
    return !repelling.empty() && (repelling.size() * MemberCount(request.root) > kMostPairs ||
                                  std::ranges::any_of(repelling, [&](const Repelling& pod) {
                                    return AnyMeans(pod, request.root);
                                  }));
  }

  bool AnyMeans(const Repelling& pod, const Unit& unit) const {
    const model::Shape& shape = cluster_.shape(pod.shape);
    return std::ranges::any_of(shape.anti_affinity, [&](const kube::PodAffinityTerm& term) {
      return Means(TermMatcher(term, {shape.namespace_, pod.labels}), unit);
    });
  }

  bool Means(const TermMatcher& term, const Unit& unit) const {
    return std::ranges::any_of(unit.members,
                               [&](const Member& member) {
                                 const std::string& ns = cluster_.shape(member.shape).namespace_;
                                 return term.Matches(cluster_, {ns, &member.labels});
                               }) ||
           std::ranges::any_of(unit.units, [&](const Unit& child) { return Means(term, child); });
  }

  // REQUIRES: Find has shown that there is no place.
  Diagnosis WhyNot(const Request& request) {
    if (never_version_ != index_.empty_version() || nevers_.size() > kMostKeptNevers) {
      nevers_.clear();
      never_version_ = index_.empty_version();
    }
    std::string signature;
    AppendSignature(request.root, signature);
    if (const auto never = nevers_.find(signature); never != nevers_.end()) return never->second;
    std::optional<Diagnosis> diagnosis = QuickNo(index_, request);
    if (!diagnosis) {
      NodeTable nodes(cluster_);
      diagnosis = Diagnose(nodes, request, Outcome::kImpossible, limits_.steps);
    }
    if (diagnosis->kind == No::kNever) nevers_.emplace(std::move(signature), *diagnosis);
    return *std::move(diagnosis);
  }

  const model::Cluster& cluster_;
  const Limits limits_;
  RoomIndex index_;
  Counters counters_;
  // What could never be placed, by signature, as long as the empty nodes are the same.
  std::map<std::string, Diagnosis> nevers_;
  std::uint64_t never_version_ = 0;
};

Finder::Finder(const model::Cluster& cluster, Limits limits)
    : impl_(std::make_unique<Impl>(cluster, limits)) {}
Finder::~Finder() = default;

std::expected<Placement, Diagnosis> Finder::Match(const Request& request) {
  return impl_->Match(request);
}

std::optional<Placement> Finder::Place(const Request& request) {
  return impl_->Place(request);
}

const Finder::Counters& Finder::counters() const {
  return impl_->counters();
}

std::size_t Finder::MemoryBytes() const {
  return impl_->index().MemoryBytes();
}

}  // namespace cadre::match

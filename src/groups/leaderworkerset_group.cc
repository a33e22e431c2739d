// LeaderWorkerSets. Each group of a set, a leader and its workers, is planned whole when its leader's pod is
// there, from the set's templates: upstream makes the workers' pods afterwards, with exclusive placement only
// when the leader has a node, so that a group that waited for them would never start.
#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/format.h>

#include "groups/annotations.h"
#include "groups/bounds.h"
#include "groups/sources.h"

namespace cadre::groups {
namespace {

// As many as an Indexed Job may have. A set can ask for thousands of millions in one field.
constexpr std::int32_t kMostPods = 100'000;
constexpr std::string_view kPartPrefix = "group ";
// How core/claims.h names the claims of such a part.
constexpr std::string_view kClaimsPrefix = "cadre.dev/claims-group-";

// The whole text as a number >= 0.
std::optional<std::int32_t> ParseIndex(std::string_view text) {
  std::int32_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc{} || end != text.data() + text.size() || index < 0) return std::nullopt;
  return index;
}

model::GroupKey KeyFor(std::string_view namespace_name, std::string_view set, std::int32_t group) {
  return {.namespace_ = std::string(namespace_name),
          .name = std::string(set),
          .kind = std::string(kLeaderWorkerSetGroup),
          .uid = {},
          .part = fmt::format("{}{}", kPartPrefix, group)};
}

// The pods of a group say how large theirs is: while a new size is rolled out the set says another.
std::int32_t SizeOf(const kube::LeaderWorkerSet* set, const kube::Pod* pod) {
  if (pod != nullptr) {
    if (const auto size = ParseCount(ValueOf(pod->metadata.annotations, kube::kLwsSizeAnnotation)))
      return *size;
  }
  return set != nullptr ? std::max(1, set->spec.size) : 1;
}

// Of each group of the set. Its pods carry the set's own annotation too.
model::TopologyAsk TopologyOf(const kube::LeaderWorkerSet* set, const kube::Pod* pod) {
  static const kube::StringMap kNone;
  const kube::StringMap& of_pod = pod != nullptr ? pod->metadata.annotations : kNone;
  const kube::StringMap& owner = set != nullptr ? set->metadata.annotations : of_pod;
  model::TopologyAsk ask =
      ReadTopology(owner, set != nullptr ? set->spec.worker_template.annotations : kNone);
  if (ask.exclusive.empty())
    ask.exclusive = std::string(ValueOf(owner, kube::kLwsExclusiveTopologyAnnotation));
  return ask;
}

const kube::Pod* LeaderAmong(const std::vector<const kube::Pod*>& members) {
  const auto leader = std::ranges::find_if(members, [](const kube::Pod* pod) {
    const auto place = LwsPlaceOf(*pod);
    return place && place->worker == 0;
  });
  return leader == members.end() ? nullptr : *leader;
}

// The template of a group's workers, with those of the labels that upstream adds which others select by.
std::shared_ptr<const kube::PodTemplate> WorkerTemplate(const kube::LeaderWorkerSet& set,
                                                        const model::GroupKey& key, const kube::Pod* leader) {
  auto workers = std::make_shared<kube::PodTemplate>(set.spec.worker_template);
  // Named keys: g++ 12 sees an overflow in a temporary here that is none.
  const std::string name_label(kube::kLwsNameLabel);
  const std::string index_label(kube::kLwsGroupIndexLabel);
  workers->labels[name_label] = key.name;
  workers->labels[index_label] = key.part.substr(kPartPrefix.size());
  const std::string_view group_key =
      leader == nullptr ? std::string_view{} : ValueOf(leader->metadata.labels, kube::kLwsGroupKeyLabel);
  if (!group_key.empty()) workers->labels[std::string(kube::kLwsGroupKeyLabel)] = std::string(group_key);
  return workers;
}

model::UnitSpec UnitOf(std::string_view name, std::int32_t expected) {
  model::UnitSpec unit;
  unit.name = unit.role = std::string(name);
  unit.expected = expected;
  return unit;
}

model::OwnerObject RecordOf(const kube::LeaderWorkerSet& set) {
  return {.kind = kube::Kind::kLeaderWorkerSet,
          .namespace_ = set.metadata.namespace_,
          .name = set.metadata.name,
          .uid = set.metadata.uid,
          .annotations = set.metadata.annotations,
          .deleting = set.metadata.deletion_timestamp.has_value()};
}

}  // namespace

std::optional<LwsPlace> LwsPlaceOf(const kube::Pod& pod) {
  const kube::StringMap& labels = pod.metadata.labels;
  const std::string_view set = ValueOf(labels, kube::kLwsNameLabel);
  const auto group = ParseIndex(ValueOf(labels, kube::kLwsGroupIndexLabel));
  const auto worker = ParseIndex(ValueOf(labels, kube::kLwsWorkerIndexLabel));
  if (set.empty() || !group || !worker) return std::nullopt;
  return LwsPlace{set, *group, *worker};
}

std::optional<model::Membership> LeaderWorkerSetMembershipOf(const kube::Pod& pod, const LwsPlace& place,
                                                             const kube::LeaderWorkerSet* set) {
  static const kube::StringMap kNone;
  const GangMode mode =
      ReadGangMode(set != nullptr ? set->metadata.annotations : kNone, pod.metadata.annotations);
  if (mode == GangMode::kNone) return std::nullopt;
  // What holds a domain is a group, however small.
  if (SizeOf(set, &pod) == 1 && TopologyOf(set, &pod).exclusive.empty()) return std::nullopt;
  const bool leads = place.worker == 0;
  return model::Membership{.group = KeyFor(pod.metadata.namespace_, place.set, place.group),
                           .unit = std::string(leads ? kLeaderUnit : kWorkersUnit),
                           .index = leads ? 0 : place.worker - 1};
}

bool SameGrouping(const kube::LeaderWorkerSet& a, const kube::LeaderWorkerSet& b) {
  const auto said = [](const kube::LeaderWorkerSet& set) {
    return std::tuple(ReadGangMode(set.metadata.annotations, {}), set.spec.size,
                      TopologyOf(&set, nullptr).exclusive.empty(),
                      set.metadata.deletion_timestamp.has_value());
  };
  return said(a) == said(b);
}

std::vector<model::GroupKey> GroupsWithClaims(const kube::LeaderWorkerSet& set) {
  std::vector<model::GroupKey> keys;
  const kube::StringMap& annotations = set.metadata.annotations;
  for (auto at = annotations.lower_bound(kClaimsPrefix);
       at != annotations.end() && at->first.starts_with(kClaimsPrefix); ++at) {
    if (const auto group = ParseIndex(std::string_view(at->first).substr(kClaimsPrefix.size())))
      keys.push_back(KeyFor(set.metadata.namespace_, set.metadata.name, *group));
  }
  return keys;
}

model::GroupSpec DescribeLeaderWorkerSet(const model::GroupKey& key, const kube::LeaderWorkerSet* set,
                                         const std::vector<const kube::Pod*>& members) {
  static const kube::StringMap kNone;
  const kube::Pod* leader = LeaderAmong(members);
  const kube::Pod* speaker = leader != nullptr || members.empty() ? leader : members.front();
  const std::int32_t size = SizeOf(set, speaker);
  model::GroupSpec spec;
  spec.key = key;
  spec.created = set != nullptr ? set->metadata.creation_timestamp.value_or(Time{}) : OldestOf(members);
  spec.topology = TopologyOf(set, speaker);
  spec.pods_come_again = true;
  if (set != nullptr) spec.record = RecordOf(*set);
  spec.units.push_back(UnitOf(kLeaderUnit, 1));
  if (size > 1) {
    model::UnitSpec workers = UnitOf(kWorkersUnit, std::min(size, kMostPods) - 1);
    if (set != nullptr) {
      const auto there = static_cast<std::int32_t>(members.size()) - (leader != nullptr ? 1 : 0);
      workers.exists = there >= workers.expected;
      workers.later_template = WorkerTemplate(*set, key, leader);
    }
    spec.units.push_back(std::move(workers));
  }
  spec.max_duration = BoundOf(set != nullptr ? set->metadata.annotations : kNone, members).longest;
  if (size > kMostPods) {
    spec.problem = fmt::format("LeaderWorkerSet {}/{} asks for {} pods in a group; at most {} are placed",
                               key.namespace_, key.name, size, kMostPods);
  } else if (set == nullptr && !spec.topology.exclusive.empty()) {
    spec.problem = fmt::format(
        "LeaderWorkerSet {}/{} has not been seen yet, or is gone: nothing would carry the claim on the "
        "domain",
        key.namespace_, key.name);
  }
  return spec;
}

}  // namespace cadre::groups

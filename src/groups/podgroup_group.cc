// Groups that pods name themselves: PodGroups of both kinds, Fluence's size label, and the group of one.
#include <algorithm>

#include <fmt/format.h>

#include "groups/annotations.h"
#include "groups/bounds.h"
#include "groups/sources.h"

namespace cadre::groups {
namespace {

// The largest fluence.group-size any member asks for.
std::optional<std::int32_t> FluenceSize(const std::vector<const kube::Pod*>& members) {
  std::optional<std::int32_t> size;
  for (const kube::Pod* pod : members) {
    const auto count = ParseCount(ValueOf(pod->metadata.labels, kFluenceGroupSizeLabel));
    if (count && (!size || *count > *size)) size = count;
  }
  return size;
}

const kube::StringMap& MemberAnnotations(const std::vector<const kube::Pod*>& members) {
  static const kube::StringMap kNone;
  return members.empty() ? kNone : members.front()->metadata.annotations;
}

}  // namespace

Time OldestOf(const std::vector<const kube::Pod*>& members) {
  std::optional<Time> oldest;
  for (const kube::Pod* pod : members) {
    const auto created = pod->metadata.creation_timestamp;
    if (created && (!oldest || *created < *oldest)) oldest = created;
  }
  return oldest.value_or(Time{});
}

model::GroupSpec DescribePodGroup(const model::GroupKey& key, const kube::PodGroup* pod_group,
                                  const std::vector<const kube::Pod*>& members) {
  model::GroupSpec spec;
  spec.key = key;
  spec.created = OldestOf(members);
  model::UnitSpec unit;
  unit.name = key.name;
  unit.role = key.name;
  std::optional<std::int32_t> minimum;
  if (pod_group != nullptr) {
    spec.created = pod_group->metadata.creation_timestamp.value_or(spec.created);
    spec.record = model::OwnerObject{
        .kind = key.kind == kPodGroupGroup ? kube::Kind::kPodGroup : kube::Kind::kSchedulerPluginsPodGroup,
        .namespace_ = key.namespace_,
        .name = key.name,
        .uid = pod_group->metadata.uid,
        .annotations = pod_group->metadata.annotations,
        .deleting = pod_group->metadata.deletion_timestamp.has_value()};
    // Policy `basic` has no minimum: its pods start one by one.
    minimum = pod_group->min_count.value_or(1);
    if (const auto own = ReadMinAvailable(pod_group->metadata.annotations, {})) minimum = own;
    unit.topology = ReadTopology(pod_group->metadata.annotations, MemberAnnotations(members));
    if (!pod_group->topology_key.empty()) unit.topology.required = pod_group->topology_key;
  } else {
    minimum = FluenceSize(members);
    if (!minimum) {
      spec.problem =
          fmt::format("PodGroup {}/{} does not exist; create it, or take the group name off the pods",
                      key.namespace_, key.name);
    }
  }
  unit.expected = std::max(minimum.value_or(1), static_cast<std::int32_t>(members.size()));
  unit.minimum = minimum.value_or(1);
  if (pod_group == nullptr) unit.topology = ReadTopology(MemberAnnotations(members), {});
  spec.max_duration =
      BoundOf(pod_group == nullptr ? kube::StringMap{} : pod_group->metadata.annotations, members).longest;
  spec.units.push_back(std::move(unit));
  return spec;
}

model::GroupSpec DescribePod(const model::GroupKey& key, const std::vector<const kube::Pod*>& members) {
  model::GroupSpec spec;
  spec.key = key;
  spec.created = OldestOf(members);
  model::UnitSpec unit;
  unit.name = key.name;
  unit.role = key.name;
  unit.expected = 1;
  unit.alone = true;
  spec.max_duration = BoundOf({}, members).longest;
  unit.topology = ReadTopology(MemberAnnotations(members), {});
  if (!unit.topology.exclusive.empty()) {
    spec.problem = fmt::format(
        "Pod {}/{} asks for an exclusive domain, and nothing would carry its claim; run it by a Job",
        key.namespace_, key.name);
  }
  spec.units.push_back(std::move(unit));
  return spec;
}

}  // namespace cadre::groups

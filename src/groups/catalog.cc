#include "groups/catalog.h"

#include <array>
#include <tuple>

#include <fmt/format.h>

#include "groups/annotations.h"
#include "groups/bounds.h"
#include "groups/sources.h"

namespace cadre::groups {
namespace {

constexpr std::array<kube::Kind, 5> kKinds = {kube::Kind::kJob, kube::Kind::kJobSet, kube::Kind::kPodGroup,
                                              kube::Kind::kSchedulerPluginsPodGroup,
                                              kube::Kind::kLeaderWorkerSet};

template <class Map>
auto Lookup(const Map& map, std::string_view key) -> decltype(map.begin()->second.get()) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : found->second.get();
}

// Keeps or forgets the object; an older version of what is there is ignored (false).
template <class Map, class T>
bool Fold(Map& map, const std::string& key, std::shared_ptr<const T> body, bool deleted) {
  const auto found = map.find(key);
  const bool same = found != map.end() && found->second->metadata.uid == body->metadata.uid;
  if (same && found->second->metadata.resource_version > body->metadata.resource_version) return false;
  if (!deleted) {
    map.insert_or_assign(key, std::move(body));
  } else if (same) {
    map.erase(found);
  }
  return true;
}

// Of a group that pods name themselves: it has no UID.
model::GroupKey PodGroupKey(std::string_view kind, std::string_view namespace_name, std::string_view name) {
  return {.namespace_ = std::string(namespace_name),
          .name = std::string(name),
          .kind = std::string(kind),
          .uid = {},
          .part = {}};
}

const kube::OwnerReference* ParentJobSet(const kube::Job& job) {
  const kube::OwnerReference* owner = job.metadata.Controller();
  return owner != nullptr && owner->kind == "JobSet" ? owner : nullptr;
}

std::string_view ParentJobSetUid(const kube::Job& job) {
  const kube::OwnerReference* parent = ParentJobSet(job);
  return parent != nullptr ? std::string_view(parent->uid) : std::string_view{};
}

std::string MakerOfSet(std::string_view namespace_name, std::string_view name) {
  return fmt::format("LeaderWorkerSet {}/{}", namespace_name, name);
}

model::GroupKey JobKey(std::string_view namespace_name, std::string_view name, std::string_view uid) {
  return {.namespace_ = std::string(namespace_name),
          .name = std::string(name),
          .kind = std::string(kJobGroup),
          .uid = std::string(uid),
          .part = {}};
}

model::GroupKey WholeJobSetKey(std::string_view namespace_name, std::string_view name, std::string_view uid) {
  return {.namespace_ = std::string(namespace_name),
          .name = std::string(name),
          .kind = std::string(kJobSetGroup),
          .uid = std::string(uid),
          .part = {}};
}

// Do both versions of a Job say the same about which group its pods belong to, whether they are current, and
// how long they may run where each is a group of its own?
bool SameGrouping(const kube::Job& a, const kube::Job& b) {
  const auto said = [](const kube::Job& job) {
    const kube::StringMap& annotations = job.metadata.annotations;
    const model::TopologyAsk ask = ReadJobTopology(annotations, {});
    return std::tuple(ReadGangMode(annotations, {}), ReadMinAvailable(annotations, {}).has_value(),
                      ask.exclusive.empty(), ask.Empty(), job.spec.indexed, job.spec.parallelism,
                      job.spec.completions, job.metadata.deletion_timestamp.has_value(), ParentJobSetUid(job),
                      ValueOf(job.metadata.labels, kube::kReplicatedJobNameLabel),
                      ValueOf(job.metadata.labels, kube::kRestartAttemptLabel));
  };
  return said(a) == said(b) && BoundOf(a) == BoundOf(b);
}

bool SameGrouping(const kube::JobSet& a, const kube::JobSet& b) {
  // What it asks for all of its groups, and for each of its Jobs.
  const auto asks = [](const kube::JobSet& jobset) {
    return std::pair(TopologyAround(&jobset), ReadJobTopology({}, {}, jobset.metadata.annotations));
  };
  return a.status.restarts == b.status.restarts &&
         ReadGangMode(a.metadata.annotations, {}) == ReadGangMode(b.metadata.annotations, {}) &&
         asks(a) == asks(b);
}

}  // namespace

std::span<const kube::Kind> CatalogKinds() {
  return kKinds;
}

Affected Catalog::Apply(const kube::Object& object, bool deleted) {
  Affected affected;
  const kube::ObjectMeta& meta = object.Meta();
  switch (object.kind) {
    case kube::Kind::kJob: {
      const auto job = std::dynamic_pointer_cast<const kube::Job>(object.body);
      const kube::Job* before = FindJob(meta.uid);
      const bool regroups = before == nullptr || deleted || !SameGrouping(*before, *job);
      if (!Fold(jobs_, meta.uid, job, deleted)) return affected;
      if (regroups) affected.makers.push_back(meta.uid);
      affected.groups.push_back(JobKey(meta.namespace_, meta.name, meta.uid));
      const std::string parent(ParentJobSetUid(*job));
      if (parent.empty()) break;
      if (!deleted) {
        jobs_of_jobset_[parent].insert(meta.uid);
      } else if (const auto siblings = jobs_of_jobset_.find(parent); siblings != jobs_of_jobset_.end()) {
        siblings->second.erase(meta.uid);
        if (siblings->second.empty()) jobs_of_jobset_.erase(siblings);
      }
      if (const kube::JobSet* jobset = FindJobSet(parent)) {
        for (model::GroupKey& key : JobSetGroups(*jobset))
          affected.groups.push_back(std::move(key));
      }
      break;
    }
    case kube::Kind::kJobSet: {
      const auto jobset = std::dynamic_pointer_cast<const kube::JobSet>(object.body);
      const kube::JobSet* before = FindJobSet(meta.uid);
      const bool regroups = before == nullptr || deleted || !SameGrouping(*before, *jobset);
      if (!Fold(jobsets_, meta.uid, jobset, deleted)) return affected;
      affected.groups = JobSetGroups(*jobset);
      const auto children = jobs_of_jobset_.find(meta.uid);
      if (regroups && children != jobs_of_jobset_.end()) {
        affected.makers.assign(children->second.begin(), children->second.end());
        for (const kube::Job* job : JobsOf(meta.uid))
          affected.groups.push_back(JobKey(job->metadata.namespace_, job->metadata.name, job->metadata.uid));
      }
      break;
    }
    case kube::Kind::kPodGroup:
    case kube::Kind::kSchedulerPluginsPodGroup: {
      const bool native = object.kind == kube::Kind::kPodGroup;
      const auto pod_group = std::dynamic_pointer_cast<const kube::PodGroup>(object.body);
      if (!Fold(native ? native_podgroups_ : plugins_podgroups_, kube::KeyOf(meta), pod_group, deleted))
        return affected;
      affected.groups.push_back(
          PodGroupKey(native ? kPodGroupGroup : kPluginsPodGroupGroup, meta.namespace_, meta.name));
      break;
    }
    case kube::Kind::kLeaderWorkerSet:
      return ApplyLeaderWorkerSet(object, deleted);
    default:
      break;
  }
  return affected;
}

Affected Catalog::ApplyLeaderWorkerSet(const kube::Object& object, bool deleted) {
  const kube::ObjectMeta& meta = object.Meta();
  const auto set = std::dynamic_pointer_cast<const kube::LeaderWorkerSet>(object.body);
  const kube::LeaderWorkerSet* before = FindLeaderWorkerSet(meta.namespace_, meta.name);
  Affected affected;
  if (before == nullptr || deleted || !SameGrouping(*before, *set))
    affected.makers.push_back(MakerOfSet(meta.namespace_, meta.name));
  affected.groups = GroupsWithClaims(*set);
  if (before != nullptr) {
    for (model::GroupKey& key : GroupsWithClaims(*before))
      affected.groups.push_back(std::move(key));
  }
  if (!Fold(sets_, kube::KeyOf(meta), set, deleted)) return {};
  affected.set = PodGroupKey(kLeaderWorkerSetGroup, meta.namespace_, meta.name);
  return affected;
}

const kube::Job* Catalog::FindJob(std::string_view uid) const {
  return Lookup(jobs_, uid);
}

const kube::JobSet* Catalog::FindJobSet(std::string_view uid) const {
  return Lookup(jobsets_, uid);
}

std::vector<const kube::Job*> Catalog::JobsOf(std::string_view jobset_uid) const {
  std::vector<const kube::Job*> jobs;
  const auto children = jobs_of_jobset_.find(jobset_uid);
  if (children == jobs_of_jobset_.end()) return jobs;
  for (const std::string& uid : children->second) {
    if (const kube::Job* job = FindJob(uid)) jobs.push_back(job);
  }
  return jobs;
}

const kube::PodGroup* Catalog::FindPodGroup(const model::GroupKey& key) const {
  const std::string name = key.namespace_ + "/" + key.name;
  if (key.kind == kPodGroupGroup) return Lookup(native_podgroups_, name);
  return key.kind == kPluginsPodGroupGroup ? Lookup(plugins_podgroups_, name) : nullptr;
}

const kube::LeaderWorkerSet* Catalog::FindLeaderWorkerSet(std::string_view namespace_name,
                                                          std::string_view name) const {
  return Lookup(sets_, fmt::format("{}/{}", namespace_name, name));
}

const kube::ObjectMeta* Catalog::FindRecord(const model::GroupKey& key) const {
  const kube::Resource* record = nullptr;
  if (key.kind == kLeaderWorkerSetGroup) {
    record = FindLeaderWorkerSet(key.namespace_, key.name);
  } else if (key.uid.empty()) {
    record = FindPodGroup(key);
  } else if (key.kind == kJobSetGroup) {
    record = FindJobSet(key.uid);
  } else if (key.kind == kJobGroup) {
    record = FindJob(key.uid);
  }
  return record == nullptr ? nullptr : &record->metadata;
}

std::string Catalog::MakerOf(const kube::Pod& pod) {
  const kube::OwnerReference* owner = pod.metadata.Controller();
  if (owner != nullptr && owner->kind == "Job") return owner->uid;
  const std::optional<LwsPlace> place = LwsPlaceOf(pod);
  return place ? MakerOfSet(pod.metadata.namespace_, place->set) : std::string{};
}

model::Membership Catalog::MembershipOf(const kube::Pod& pod) const {
  const kube::ObjectMeta& meta = pod.metadata;
  const std::string_view plugins_group = ValueOf(meta.labels, kube::kSchedulerPluginsPodGroupLabel);
  if (!pod.spec.scheduling_group.empty()) {
    return {PodGroupKey(kPodGroupGroup, meta.namespace_, pod.spec.scheduling_group),
            pod.spec.scheduling_group};
  }
  if (!plugins_group.empty()) {
    return {PodGroupKey(kPluginsPodGroupGroup, meta.namespace_, plugins_group), std::string(plugins_group)};
  }
  const kube::OwnerReference* owner = meta.Controller();
  if (ParseCount(ValueOf(meta.labels, kFluenceGroupSizeLabel))) {
    model::GroupKey key =
        PodGroupKey(kFluenceGroup, meta.namespace_, owner != nullptr ? owner->name : meta.name);
    key.uid = owner != nullptr ? owner->uid : meta.uid;
    std::string unit = key.name;
    return {std::move(key), std::move(unit), kube::CompletionIndex(pod).value_or(-1)};
  }
  if (owner != nullptr && owner->kind == "Job") {
    const std::int32_t index = kube::CompletionIndex(pod).value_or(-1);
    const kube::Job* job = FindJob(owner->uid);
    // Until the Job is seen nobody can tell whether it is a gang: it waits under the Job's name.
    if (job == nullptr) return {JobKey(meta.namespace_, owner->name, owner->uid), owner->name, index};
    const bool one_pod = HasOnePod(job->spec.parallelism, job->spec.completions);
    const kube::JobSet* jobset = nullptr;
    if (const kube::OwnerReference* parent = ParentJobSet(*job)) {
      jobset = FindJobSet(parent->uid);
      // The same goes for the JobSet: it may be a gang of all its Jobs.
      if (jobset == nullptr) {
        return {WholeJobSetKey(meta.namespace_, parent->name, parent->uid), owner->name, index};
      }
      if (auto key = JobSetGroupOf(*jobset, *job, meta.annotations)) {
        return {*std::move(key), owner->name, index, one_pod};
      }
    }
    if (JobModeOf(*job, meta.annotations, jobset) != JobMode::kPods)
      return {JobKey(meta.namespace_, owner->name, owner->uid), owner->name, index};
  } else if (const auto place = LwsPlaceOf(pod)) {
    const kube::LeaderWorkerSet* set = FindLeaderWorkerSet(meta.namespace_, place->set);
    if (auto membership = LeaderWorkerSetMembershipOf(pod, *place, set)) return *std::move(membership);
  }
  return {{.namespace_ = meta.namespace_,
           .name = meta.name,
           .kind = std::string(kPodGroupOfOne),
           .uid = meta.uid,
           .part = {}},
          meta.name,
          -1,
          true};
}

bool Catalog::IsNamedByPods(const model::GroupKey& key) {
  return key.kind == kPodGroupGroup || key.kind == kPluginsPodGroupGroup || key.kind == kFluenceGroup;
}

bool Catalog::IsCurrent(const kube::Pod& pod) const {
  if (kube::IsTerminal(pod) || pod.metadata.deletion_timestamp) return false;
  const kube::OwnerReference* owner = pod.metadata.Controller();
  if (owner == nullptr || owner->kind != "Job") {
    const std::optional<LwsPlace> place = LwsPlaceOf(pod);
    const kube::LeaderWorkerSet* set =
        place ? FindLeaderWorkerSet(pod.metadata.namespace_, place->set) : nullptr;
    return set == nullptr || !set->metadata.deletion_timestamp;
  }
  const kube::Job* job = FindJob(owner->uid);
  if (job == nullptr) return true;
  if (const kube::JobSet* jobset = FindJobSet(ParentJobSetUid(*job))) return IsCurrentJob(*jobset, *job);
  return !job->metadata.deletion_timestamp;
}

// A pod that is a group of its own may run no longer than its Job.
void Catalog::AddOwnersBound(const std::vector<const kube::Pod*>& members, model::GroupSpec& spec) const {
  const kube::OwnerReference* owner = members.empty() ? nullptr : members.front()->metadata.Controller();
  const kube::Job* job = owner == nullptr || owner->kind != "Job" ? nullptr : FindJob(owner->uid);
  if (job == nullptr) return;
  const RunBound bound = Tighter({spec.max_duration, spec.ends_by}, BoundOf(*job));
  spec.max_duration = bound.longest;
  spec.ends_by = bound.ends_by;
}

std::vector<model::GroupKey> Catalog::PartsOf(const model::GroupKey& key) const {
  const kube::JobSet* jobset = key.kind == kJobSetGroup ? FindJobSet(key.uid) : nullptr;
  return jobset == nullptr ? std::vector<model::GroupKey>{key} : JobSetGroups(*jobset);
}

model::GroupSpec Catalog::Describe(const model::GroupKey& key,
                                   const std::vector<const kube::Pod*>& members) const {
  if (key.kind == kJobSetGroup) return DescribeJobSet(key, FindJobSet(key.uid), JobsOf(key.uid));
  if (key.kind == kJobGroup) {
    const kube::Job* job = FindJob(key.uid);
    return DescribeJob(key, job, job == nullptr ? nullptr : FindJobSet(ParentJobSetUid(*job)));
  }
  if (key.kind == kLeaderWorkerSetGroup)
    return DescribeLeaderWorkerSet(key, FindLeaderWorkerSet(key.namespace_, key.name), members);
  if (key.kind == kPodGroupOfOne) {
    model::GroupSpec spec = DescribePod(key, members);
    AddOwnersBound(members, spec);
    return spec;
  }

  model::GroupSpec spec =
      DescribePodGroup(key, key.kind == kFluenceGroup ? nullptr : FindPodGroup(key), members);
  // Rolled back through what owns the pods: their Jobs, or the JobSets of these.
  std::map<std::string, model::OwnerObject> owners;
  for (const kube::Pod* pod : members) {
    const kube::OwnerReference* owner = pod->metadata.Controller();
    const kube::Job* job = owner == nullptr ? nullptr : FindJob(owner->uid);
    if (job == nullptr) continue;
    const kube::JobSet* jobset = FindJobSet(ParentJobSetUid(*job));
    model::OwnerObject object = jobset != nullptr ? OwnerOf(*jobset) : OwnerOf(*job);
    owners.emplace(object.uid, std::move(object));
  }
  for (auto& [uid, object] : owners)
    spec.owners.push_back(std::move(object));
  return spec;
}

}  // namespace cadre::groups

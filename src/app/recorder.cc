#include "app/recorder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "kube/job.h"
#include "kube/jobset.h"
#include "kube/node.h"
#include "kube/pod.h"

namespace cadre::app {

namespace {

std::vector<std::string> KeysOf(const topology::Levels& levels) {
  std::vector<std::string> keys = levels.Keys();
  if (!levels.given()) std::erase(keys, topology::kHostname);
  return keys;
}

std::string Explain(const kube::Condition& condition) {
  return condition.message.empty() ? condition.reason
                                   : fmt::format("{}: {}", condition.reason, condition.message);
}

std::string ExplainPod(const kube::PodStatus& status) {
  if (status.reason.empty()) return status.message;
  return status.message.empty() ? status.reason : fmt::format("{}: {}", status.reason, status.message);
}

std::int32_t MembersOf(const kube::Object& owner) {
  if (owner.kind == kube::Kind::kJob) return kube::PodsAtOnce(owner.As<kube::Job>().spec);
  std::int32_t members = 0;
  for (const kube::ReplicatedJob& replicated : owner.As<kube::JobSet>().spec.replicated_jobs)
    members += replicated.replicas * kube::PodsAtOnce(replicated.job);
  return members;
}

// How an owner ended: the condition that failed it, if it failed.
struct Ending {
  bool finished = false;
  const kube::Condition* failure = nullptr;
};

Ending EndingOf(const kube::Object& owner) {
  if (owner.kind == kube::Kind::kJob) {
    const kube::Job& job = owner.As<kube::Job>();
    return {kube::IsFinished(job), kube::FindTrue(job.status.conditions, "Failed")};
  }
  const kube::JobSet& jobset = owner.As<kube::JobSet>();
  return {kube::IsFinished(jobset), kube::FindTrue(jobset.status.conditions, "Failed")};
}

model::GroupKey KeyOfOwner(const kube::ObjectMeta& meta, std::string_view kind) {
  return {.namespace_ = meta.namespace_,
          .name = meta.name,
          .kind = std::string(kind),
          .uid = meta.uid,
          .part = {}};
}

// The parts of a group are one row. The groups of a LeaderWorkerSet are apart: none waits for another; each
// is called as its leader's pod is.
model::GroupKey RowKey(model::GroupKey key) {
  if (key.kind == kube::Info(kube::Kind::kLeaderWorkerSet).name && !key.part.empty())
    key.name += "-" + key.part.substr(key.part.rfind(' ') + 1);
  key.part.clear();
  return key;
}

bool HoldsNode(const kube::Pod& pod) {
  return !pod.spec.node_name.empty() && !kube::IsTerminal(pod);
}

}  // namespace

struct Recorder::Row {
  GroupRecord record;
  std::uint64_t sequence = 0;
  std::set<std::string> closers;
  std::set<std::string> slots;  // "unit/index" of every pod it ever had
  std::int32_t live_pods = 0;
  std::int32_t holding_pods = 0;
  bool has_pods = false;
  bool elsewhere = false;  // its pods are in other rows
};

struct Recorder::Closer {
  std::vector<Row*> rows;
  std::optional<Time> closed;
  bool failed = false;
  bool deleted = false;
  std::string why;
};

struct Recorder::PodState {
  Row* row = nullptr;  // null: it was there at the start and is nobody's business here
  std::string member;
  bool alive = true;  // not terminal
  bool holds = false;
  std::size_t hold = 0;         // index in the record's holds
  kube::ResourceList requests;  // counted in use_ while it holds; none on a node that is not there
};

Recorder::Recorder(Time start, const GroupTracker& tracker, const topology::Levels& levels)
    : start_(start),
      tracker_(tracker),
      levels_given_(levels.given()),
      topology_keys_(KeysOf(levels)),
      use_(start),
      last_change_(start) {}

Recorder::~Recorder() = default;

std::size_t Recorder::nodes() const {
  return nodes_.size();
}

// --- Rows

Recorder::Row& Recorder::RowFor(const model::GroupKey& key, Time now) {
  const auto [found, added] = rows_.try_emplace(key);
  if (added) {
    found->second.record.key = key;
    found->second.record.submit = now;
    found->second.sequence = rows_.size();
    last_change_ = now;
  }
  return found->second;
}

model::GroupKey Recorder::RowKeyOf(const kube::Pod& pod) const {
  const model::Membership* membership = tracker_.MembershipOf(pod.metadata.uid);
  CADRE_ASSERT(membership != nullptr, "the tracker has not seen the pod");
  model::GroupKey key = RowKey(membership->group);
  if (key.kind != "Pod") return key;
  const kube::OwnerReference* owner = pod.metadata.Controller();
  const kube::Job* job = owner == nullptr ? nullptr : tracker_.catalog().FindJob(owner->uid);
  return job == nullptr ? key : KeyOfOwner(job->metadata, "Job");
}

// Of no Job and JobSet that are there, and of no group that pods name themselves.
bool Recorder::IsNobodys(const kube::Pod& pod) const {
  const model::Membership* membership = tracker_.MembershipOf(pod.metadata.uid);
  CADRE_ASSERT(membership != nullptr, "the tracker has not seen the pod");
  return OwnerChain(pod).empty() && !groups::Catalog::IsNamedByPods(membership->group);
}

// UIDs of the Job and the JobSet that it comes from, as far as they exist, innermost first.
std::vector<std::string> Recorder::OwnerChain(const kube::Pod& pod) const {
  std::vector<std::string> chain;
  const kube::OwnerReference* owner = pod.metadata.Controller();
  const kube::Job* job = owner == nullptr ? nullptr : tracker_.catalog().FindJob(owner->uid);
  if (job == nullptr) return chain;
  chain.push_back(job->metadata.uid);
  const kube::OwnerReference* parent = job->metadata.Controller();
  if (parent != nullptr && tracker_.catalog().FindJobSet(parent->uid) != nullptr)
    chain.push_back(parent->uid);
  return chain;
}

void Recorder::AddCloser(const std::string& uid, Row& row) {
  if (!row.closers.insert(uid).second) return;
  closers_[uid].rows.push_back(&row);
  CheckEnd(row);
}

void Recorder::Close(Time now, const std::string& uid, bool failed, bool deleted, const std::string& why) {
  const auto found = closers_.find(uid);
  if (found == closers_.end() || found->second.closed) return;
  Closer& closer = found->second;
  closer.closed = now;
  closer.failed = failed;
  closer.deleted = deleted;
  closer.why = why;
  last_change_ = now;
  for (Row* row : closer.rows)
    CheckEnd(*row);
}

void Recorder::CheckEnd(Row& row) {
  GroupRecord& record = row.record;
  record.end.reset();
  record.failed = record.deleted = false;
  std::optional<Time> last;
  for (const std::string& uid : row.closers) {
    const Closer& closer = closers_.at(uid);
    if (!closer.closed) return;
    last = std::max(last.value_or(*closer.closed), *closer.closed);
    record.failed = record.failed || closer.failed;
    record.deleted = record.deleted || closer.deleted;
    if (!closer.why.empty() && record.failure.empty()) record.failure = closer.why;
  }
  record.end = last;
}

// --- Writes

void Recorder::OnLoaded(const kube::Object& object) {
  if (object.kind == kube::Kind::kPod) {
    OnPodWrite(start_, nullptr, &object, true);
  } else if (object.kind == kube::Kind::kNode) {
    OnNodeWrite(start_, nullptr, &object);
  } else {
    OnOwnerWrite(start_, nullptr, &object);
  }
}

void Recorder::OnWrite(const sim::WriteRecord& record) {
  const kube::Kind kind = (record.after != nullptr ? record.after : record.before)->kind;
  if (kind == kube::Kind::kPod) {
    OnPodWrite(record.at, record.before, record.after, false);
  } else if (kind == kube::Kind::kNode) {
    OnNodeWrite(record.at, record.before, record.after);
  } else {
    OnOwnerWrite(record.at, record.before, record.after);
  }
}

void Recorder::OnNodeWrite(Time now, const kube::Object* before, const kube::Object* after) {
  if (before != nullptr) use_.Offer(now, before->As<kube::Node>().status.allocatable, -1);
  if (after != nullptr) {
    use_.Offer(now, after->As<kube::Node>().status.allocatable, +1);
    nodes_.insert_or_assign(after->Meta().name, *after);
    gone_nodes_.erase(after->Meta().name);
  } else {
    nodes_.erase(before->Meta().name);
    gone_nodes_.insert_or_assign(before->Meta().name, *before);
  }
}

void Recorder::OnOwnerWrite(Time now, const kube::Object* before, const kube::Object* after) {
  const kube::Object& owner = after != nullptr ? *after : *before;
  if (owner.kind != kube::Kind::kJob && owner.kind != kube::Kind::kJobSet) return;
  const kube::ObjectMeta& meta = owner.Meta();
  const std::string_view kind = kube::Info(owner.kind).name;
  if (before == nullptr) {
    const kube::OwnerReference* parent = meta.Controller();
    const bool child = parent != nullptr && tracker_.catalog().FindJobSet(parent->uid) != nullptr;
    // Child Jobs get a row only when their pods are not the JobSet's group.
    if (!child) AddCloser(meta.uid, RowFor(KeyOfOwner(meta, kind), now));
  }
  if (after == nullptr) {
    Close(now, meta.uid, false, true, "");
    return;
  }
  const auto row = rows_.find(KeyOfOwner(meta, kind));
  if (row == rows_.end()) return;
  row->second.record.members = MembersOf(owner);
  if (owner.kind == kube::Kind::kJobSet)
    row->second.record.restarts = owner.As<kube::JobSet>().status.restarts;
  if (const Ending ending = EndingOf(owner); ending.finished) {
    const bool failed = ending.failure != nullptr;
    Close(now, meta.uid, failed, false, failed ? Explain(*ending.failure) : "");
  }
}

void Recorder::OnPodWrite(Time now, const kube::Object* before, const kube::Object* after, bool loaded) {
  const kube::Object& object = after != nullptr ? *after : *before;
  const kube::Pod& pod = object.As<kube::Pod>();
  const auto [found, added] = pods_.try_emplace(pod.metadata.uid);
  PodState& state = found->second;
  if (added) {
    ++pods_seen_;
    if (loaded && !pod.spec.node_name.empty() && IsNobodys(pod)) {
      if (nodes_.contains(pod.spec.node_name)) ++background_pods_;
    } else {
      OnNewPod(now, pod, state);
    }
  }
  UpdateHold(now, pod, state, after == nullptr);
  if (state.alive && (after == nullptr || kube::IsTerminal(pod))) {
    state.alive = false;
    if (state.row != nullptr) --state.row->live_pods;
    // A kubelet ends a pod that is being deleted before it goes.
    const bool deleted = !kube::IsTerminal(pod) || pod.metadata.deletion_timestamp.has_value();
    const bool failed = !deleted && pod.status.phase == kube::PodPhase::kFailed;
    Close(now, pod.metadata.uid, failed, deleted, failed ? ExplainPod(pod.status) : "");
  }
  if (after == nullptr) pods_.erase(found);
}

void Recorder::OnNewPod(Time now, const kube::Pod& pod, PodState& state) {
  const model::GroupKey key = RowKeyOf(pod);
  Row& row = RowFor(key, now);
  state.row = &row;
  row.has_pods = true;
  ++row.live_pods;

  const std::vector<std::string> chain = OwnerChain(pod);
  if (key.kind == "Job" || key.kind == "JobSet") {
    AddCloser(key.uid, row);
    const kube::Job* job = key.kind == "Job" ? tracker_.catalog().FindJob(key.uid) : nullptr;
    if (job != nullptr) row.record.members = kube::PodsAtOnce(job->spec);
  } else {
    AddCloser(chain.empty() ? pod.metadata.uid : chain.back(), row);
    const kube::PodGroup* pod_group = tracker_.catalog().FindPodGroup(key);
    const std::int32_t minimum = pod_group == nullptr ? 1 : pod_group->min_count.value_or(1);
    row.record.members = std::max({row.record.members, row.live_pods, minimum});
  }
  for (const std::string& uid : chain) {
    const auto closer = closers_.find(uid);
    if (closer == closers_.end()) continue;
    for (Row* other : closer->second.rows)
      other->elsewhere = other->elsewhere || other != &row;
  }

  const model::Membership* membership = tracker_.MembershipOf(pod.metadata.uid);
  const auto index = kube::CompletionIndex(pod);
  state.member = pod.metadata.name;
  if (index && !membership->unit.empty() && membership->group.kind != "Pod") {
    // Several Jobs may be of one PodGroup.
    const kube::OwnerReference* owner = pod.metadata.Controller();
    state.member = fmt::format("{}/{}", owner == nullptr ? membership->unit : owner->name, *index);
    if (!row.slots.insert(state.member).second) ++row.record.recreated_pods;
  }
}

void Recorder::UpdateHold(Time now, const kube::Pod& pod, PodState& state, bool gone) {
  const bool holds = !gone && HoldsNode(pod);
  if (holds && !state.holds) BeginHold(now, pod, state);
  if (!holds && state.holds) EndHold(now, state);
}

void Recorder::BeginHold(Time now, const kube::Pod& pod, PodState& state) {
  state.holds = true;
  const kube::ResourceList requests = kube::PodRequests(pod);
  Hold hold{state.member, pod.spec.node_name, now, std::nullopt, ShapeOf(requests)};
  // On a node that a dump lacks it takes nothing of what is offered.
  if (nodes_.contains(pod.spec.node_name)) state.requests = requests;
  use_.Request(now, state.requests, +1);
  if (state.row == nullptr) {
    hold.member = pod.metadata.name;
    state.hold = background_holds_.size();
    background_holds_.push_back(std::move(hold));
    return;
  }
  GroupRecord& record = state.row->record;
  last_change_ = now;
  if (!record.first_bind) record.first_bind = now;
  const model::Membership* membership = tracker_.MembershipOf(pod.metadata.uid);
  if (membership != nullptr && membership->group.kind == "Pod" && !record.start) record.start = now;
  if (state.row->holding_pods++ == 0) {
    // A run that ended at this very instant goes on.
    if (!record.runs.empty() && record.runs.back().second == now) {
      record.runs.back().second.reset();
    } else {
      record.runs.emplace_back(now, std::nullopt);
    }
  }
  state.hold = record.holds.size();
  record.holds.push_back(std::move(hold));
  const auto node = nodes_.find(pod.spec.node_name);
  if (!record.nodes.insert(pod.spec.node_name).second || node == nodes_.end()) return;
  for (const std::string& key : topology_keys_) {
    const auto label = node->second.Meta().labels.find(key);
    if (label != node->second.Meta().labels.end()) record.domains[key].insert(label->second);
  }
}

void Recorder::EndHold(Time now, PodState& state) {
  state.holds = false;
  use_.Request(now, state.requests, -1);
  if (state.row == nullptr) {
    background_holds_[state.hold].to = now;
    return;
  }
  last_change_ = now;
  GroupRecord& record = state.row->record;
  record.holds[state.hold].to = now;
  if (--state.row->holding_pods == 0) record.runs.back().second = now;
}

std::size_t Recorder::ShapeOf(const kube::ResourceList& requests) {
  const auto [found, added] = shape_index_.try_emplace(requests, shapes_.size());
  if (added) shapes_.push_back(requests);
  return found->second;
}

void Recorder::OnSettled(Time now, const std::vector<PartStanding>& standings) {
  for (const PartStanding& standing : standings) {
    if (!standing.just_started) continue;
    const GroupRecord* found = FindRowOf(standing.key);
    if (found == nullptr) continue;
    Row& row = rows_.at(found->key);
    if (!row.record.start) row.record.start = now;
    for (const std::string& key : standing.topology_keys) {
      for (const std::string& name : row.record.nodes) {
        const auto node = nodes_.find(name);
        if (node == nodes_.end()) continue;
        const auto label = node->second.Meta().labels.find(key);
        if (label != node->second.Meta().labels.end()) row.record.domains[key].insert(label->second);
      }
    }
  }
}

// --- Reading

std::vector<const GroupRecord*> Recorder::Groups() const {
  std::vector<const Row*> rows;
  for (const auto& [key, row] : rows_) {
    if (row.has_pods || !row.elsewhere) rows.push_back(&row);
  }
  std::sort(rows.begin(), rows.end(), [](const Row* a, const Row* b) {
    return std::pair(a->record.submit, a->sequence) < std::pair(b->record.submit, b->sequence);
  });
  std::vector<const GroupRecord*> records;
  records.reserve(rows.size());
  for (const Row* row : rows)
    records.push_back(&row->record);
  return records;
}

const GroupRecord* Recorder::Find(const model::GroupKey& key) const {
  const auto found = rows_.find(RowKey(key));
  return found == rows_.end() ? nullptr : &found->second.record;
}

const GroupRecord* Recorder::FindRowOf(const model::GroupKey& scheduler_key) const {
  if (scheduler_key.kind != "Pod") return Find(scheduler_key);
  const auto pod = pods_.find(scheduler_key.uid);
  if (pod == pods_.end() || pod->second.row == nullptr) return nullptr;
  return &pod->second.row->record;
}

std::map<std::string, std::size_t> Recorder::domains() const {
  std::map<std::string, std::set<std::string>> values;
  for (const auto& [name, node] : nodes_) {
    for (const std::string& key : topology_keys_) {
      const auto label = node.Meta().labels.find(key);
      if (label != node.Meta().labels.end()) values[key].insert(label->second);
    }
  }
  std::map<std::string, std::size_t> counts;
  for (const auto& [key, names] : values)
    counts[key] = names.size();
  return counts;
}

}  // namespace cadre::app

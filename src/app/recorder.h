// Recorder: the history of a run, group by group, as a fold over the API's writes.
//
// A row is what a person submitted and asks about: a JobSet (whatever its stages), a Job, a PodGroup, a pod.
// Pods that are groups of one but come from one Job share the Job's row. Work per write is O(log of the
// rows). Thread rule: one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/group_tracker.h"
#include "app/use_meter.h"
#include "kube/object.h"
#include "kube/resources.h"
#include "model/group.h"
#include "sim/verbs.h"
#include "topology/levels.h"

namespace cadre::app {

struct Hold {
  std::string member;  // "train-workers-0/3": unit and index, or the pod's name
  std::string node;
  Time from;
  std::optional<Time> to;  // none: it still holds
  std::size_t shape = 0;   // what it requests: index into Recorder::shapes()
};

struct GroupRecord {
  model::GroupKey key;  // without part; the name of a LeaderWorkerSet's group is that of its leader's pod
  std::int32_t members = 0;
  Time submit{};
  std::optional<Time> first_bind;
  std::optional<Time> start;  // the first time its minimum was placed
  std::optional<Time> end;    // everything that makes it up has ended
  bool failed = false;
  bool deleted = false;  // ended by deletion, before it was complete
  std::string failure;   // why, in the words of the Job, JobSet or pod
  std::set<std::string> nodes;
  std::map<std::string, std::set<std::string>> domains;  // topology label key -> values of these nodes
  std::int32_t restarts = 0;
  std::int32_t recreated_pods = 0;
  std::vector<Hold> holds;                                 // in the order of their start
  std::vector<std::pair<Time, std::optional<Time>>> runs;  // when at least one pod of it held a node
};

class Recorder {
 public:
  // The tracker is borrowed; it has seen every write before the recorder does. Rows and domains are told
  // apart by `levels`.
  Recorder(Time start, const GroupTracker& tracker, const topology::Levels& levels = {});
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // The object was there at the start. Bound pods hold resources; only those of a Job or JobSet that is there
  // too, or of a PodGroup, have a row.
  void OnLoaded(const kube::Object& object);
  void OnWrite(const sim::WriteRecord& record);
  void OnSettled(Time now, const std::vector<PartStanding>& standings);

  // By submit, then key.
  std::vector<const GroupRecord*> Groups() const;
  // Null when no such row exists; `key.part` counts for a LeaderWorkerSet only.
  const GroupRecord* Find(const model::GroupKey& key) const;
  // The row of the group that a scheduler's key names: pods of a Job that are groups of one are in the Job's
  // row. By pod UID where the key is a pod's.
  const GroupRecord* FindRowOf(const model::GroupKey& scheduler_key) const;

  const UseMeter& use() const { return use_; }
  std::size_t nodes() const;
  // Topology label key -> number of its values, over all nodes.
  std::map<std::string, std::size_t> domains() const;
  // As they are, and as those were that are gone; by name.
  using Nodes = std::map<std::string, kube::Object, std::less<>>;
  const Nodes& present_nodes() const { return nodes_; }
  const Nodes& gone_nodes() const { return gone_nodes_; }
  // What pods that held nodes requested, each once, in the order in which they appeared.
  const std::vector<kube::ResourceList>& shapes() const { return shapes_; }
  // What pods without a row held, in the order of their start.
  const std::vector<Hold>& background_holds() const { return background_holds_; }
  // Topology label keys by which rows and domains are told apart, coarse to fine: the given levels, or the
  // well-known ones without the host, since nodes are named anyway.
  const std::vector<std::string>& topology_keys() const { return topology_keys_; }
  bool levels_given() const { return levels_given_; }
  // Pods bound at the start, to nodes that are there, that have no row.
  std::size_t background_pods() const { return background_pods_; }
  // Every pod that was ever there.
  std::size_t pods_seen() const { return pods_seen_; }
  // The last time anything about a row changed.
  Time last_change() const { return last_change_; }

 private:
  struct Row;
  struct Closer;
  struct PodState;

  Row& RowFor(const model::GroupKey& key, Time now);
  model::GroupKey RowKeyOf(const kube::Pod& pod) const;
  bool IsNobodys(const kube::Pod& pod) const;
  std::vector<std::string> OwnerChain(const kube::Pod& pod) const;
  void OnPodWrite(Time now, const kube::Object* before, const kube::Object* after, bool loaded);
  void OnNewPod(Time now, const kube::Pod& pod, PodState& state);
  void UpdateHold(Time now, const kube::Pod& pod, PodState& state, bool gone);
  void BeginHold(Time now, const kube::Pod& pod, PodState& state);
  void EndHold(Time now, PodState& state);
  std::size_t ShapeOf(const kube::ResourceList& requests);
  void OnOwnerWrite(Time now, const kube::Object* before, const kube::Object* after);
  void OnNodeWrite(Time now, const kube::Object* before, const kube::Object* after);
  void AddCloser(const std::string& uid, Row& row);
  void Close(Time now, const std::string& uid, bool failed, bool deleted, const std::string& why);
  void CheckEnd(Row& row);

  const Time start_;
  const GroupTracker& tracker_;
  const bool levels_given_;
  const std::vector<std::string> topology_keys_;
  UseMeter use_;
  std::map<model::GroupKey, Row> rows_;
  std::unordered_map<std::string, Closer> closers_;  // Jobs, JobSets and lone pods, by UID
  std::unordered_map<std::string, PodState> pods_;   // by UID
  Nodes nodes_;
  Nodes gone_nodes_;
  std::vector<kube::ResourceList> shapes_;
  std::map<kube::ResourceList, std::size_t> shape_index_;
  std::vector<Hold> background_holds_;
  std::size_t background_pods_ = 0;
  std::size_t pods_seen_ = 0;
  Time last_change_;
};

}  // namespace cadre::app

// Checker: the invariants of a run, judged from API objects alone: not from the scheduler's memory, not by
// its matcher.
//
//  - A pod that Cadre binds goes to a node that exists, is not cordoned, whose taints it tolerates and whose
//  labels it asks
//    for, where requests, number of pods and host ports fit as a kubelet counts them.
//  - No kubelet refuses a pod that Cadre has bound; no pod moves from one node to another; no slot of a Job
//  is placed twice.
//  - Whenever time moves on, a group has none or at least its minimum of members placed, unless it had
//  started and lost some.
//  - At the end the scheduler's idea of free capacity is what the API objects say: nothing leaked, nothing
//  assumed.
//
// What was wrong already when the run began, or what others did to a node in the same instant (a race that
// cannot be observed), is not held against Cadre; making it worse is. Thread rule: one thread. Bound: at most
// kMostViolations texts are kept.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/group_tracker.h"
#include "drive/observed_api.h"
#include "kube/node.h"
#include "kube/pod.h"
#include "model/cluster.h"

namespace cadre::app {

class Checker {
 public:
  static constexpr std::size_t kMostViolations = 1'000;

  struct Options {
    Time start{};
    // For how long a group may be placed in part while its binds are under way: 0 where the API answers at
    // once.
    Duration grace{0};
    std::string binder = "cadre-scheduler";  // whose binds are judged
  };

  // Borrowed; the api's objects are looked at, never written. The tracker sees every write before the checker
  // does.
  Checker(Options options, const drive::ObservedApi& api);

  void OnLoaded(const kube::Object& object);
  void OnWrite(const drive::WriteRecord& record);
  // `until`: the present instant lasts until then, Time::max() when nothing is to come any more.
  void OnSettled(Time now, Time until, const std::vector<PartStanding>& standings);
  // Nothing can change any more and nothing is under way. `idle`: every group has ended.
  void OnEnd(Time now, const model::Cluster& cluster, bool idle);

  const std::string& binder() const { return options_.binder; }
  // Found wrong by somebody else who looks on.
  void Add(Time now, std::string text) { Report(now, std::move(text)); }

  const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct PortUse {
    std::int32_t port = 0;
    std::string protocol;
    std::string ip;
  };
  struct NodeLoad {
    std::shared_ptr<const kube::Node> node;
    std::map<std::string, std::int64_t, std::less<>> used;
    std::map<std::string, std::int64_t, std::less<>>
        excused;                                        // this much was in use for reasons that are not ours
    std::map<std::string, std::vector<PortUse>> ports;  // by pod UID
    std::optional<Time> touched_by_others;              // in a way that may forbid a bind
  };
  struct Placed {
    std::string node;
    kube::ResourceList requests;
    std::string slot;
    bool ours = false;
    bool raced = false;    // others used the node in the same instant
    bool leaving = false;  // it is being deleted
  };

  void OnNode(Time now, const kube::Object* before, const kube::Object* after);
  void OnPod(const drive::WriteRecord& record);
  void Place(Time now, const kube::Pod& pod, bool ours);
  void Take(const kube::Pod& pod);
  void CheckBind(Time now, const kube::Pod& pod, const NodeLoad& load, const kube::ResourceList& requests);
  void CheckVolumes(Time now, const kube::Pod& pod, const NodeLoad& load);
  void CheckPorts(Time now, const kube::Pod& pod, const NodeLoad& load);
  void CheckCapacity(Time now, const kube::Pod& pod, const NodeLoad& load,
                     const kube::ResourceList& requests);
  void CheckSlot(Time now, const kube::Pod& pod, const Placed& placed);
  void CheckRefusal(Time now, const kube::Object* before, const kube::Pod& pod);
  void CompareNode(Time now, const model::Cluster& cluster, const model::NodeEntry& entry);
  void Excuse(NodeLoad& load) const;
  static std::int64_t Allocatable(const NodeLoad& load, std::string_view resource);
  void Report(Time now, std::string text);

  const Options options_;
  const drive::ObservedApi& api_;
  std::map<std::string, NodeLoad, std::less<>> nodes_;
  std::unordered_map<std::string, Placed> placed_;  // by pod UID
  std::unordered_map<std::string, std::string>
      slots_;  // "controller UID/index" -> UID of the pod that is placed for it
  std::map<model::GroupKey, std::pair<Time, std::string>> partial_;  // since when, and how
  std::set<model::GroupKey> reported_partial_;
  std::vector<std::string> violations_;
  std::size_t suppressed_ = 0;
};

}  // namespace cadre::app

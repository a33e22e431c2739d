// Kubelets: the agents of all simulated nodes, as one machine. A bound pod is admitted or refused by the
// rules of the real kubelet, starts, runs as long as its manifest says (run_time.h), and ends; a deleted pod
// is ended and then removed; pods on a node that is gone or not ready stand still.
//
// One status write when a pod runs and one when it ends. Pods with restartPolicy OnFailure whose run fails
// are restarted in place after 10 s, doubling to 5 min. With restartPolicy Always a pod runs for ever, unless
// the annotation cadre.dev/sim-duration says when it ends. Everything it knows is read from pods and nodes
// again by a new process, except how many runs of a Job's index have failed by cadre.dev/sim-fail-attempts
// (restarts of its JobSet included), where the failed pods are gone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "drive/machine.h"
#include "kube/node.h"
#include "kube/pod.h"
#include "sim/pod_status.h"
#include "sim/run_time.h"
#include "sim/timer_set.h"

namespace cadre::sim {

struct KubeletOptions {
  Duration start_delay{0};            // from the bind until the pod runs
  Duration termination{0};            // how long a pod takes to end when asked, at most its grace period
  Duration default_duration{60'000};  // for pods whose manifest does not say how long they run
  // Pods that were running before this and whose manifest does not say how long: they run on for ever.
  Time running_before = Time::min();
  // The same for pods that had a node from the start, by UID, whether their status says that they run or not.
  // Borrowed; may be null.
  const std::set<std::string>* bound_at_start = nullptr;
};

class Kubelets final : public drive::Machine {
 public:
  explicit Kubelets(KubeletOptions options) : options_(options) {}

  std::string_view Name() const override { return "kubelet"; }
  std::span<const kube::Kind> Kinds() const override;
  drive::StepResult Step(Time now, std::span<const drive::Event> events) override;

  // Annotations that could not be read, writes that were refused for good. Each once.
  const std::set<std::string>& complaints() const { return complaints_; }

 private:
  struct NodeState;
  // A status that is to be written, until it is known to be.
  struct Saying {
    enum class What : std::uint8_t { kRejected, kRunning, kCrashLoop, kEnded } what{};
    Time at{};
    int exit_code = 0;   // kEnded
    Rejection why = {};  // kRejected, and of kEnded the pod's own reason and message
  };
  // A bound pod.
  struct PodState {
    kube::Object object;
    std::uint64_t number = 0;  // in the order they were seen bound
    NodeState* node = nullptr;
    RunPlan plan;
    bool admitted = false;  // its requests count on the node
    kube::ResourceList requests;
    std::optional<ContainerLife> life;  // it runs, or waits to be restarted
    bool waits_for_restart = false;
    std::optional<Time> start_at;  // it was admitted and has not started
    std::optional<Time> stop_at;   // it is being ended
    std::optional<Saying> saying;
    bool removal_asked = false;
    int in_flight = 0;                  // writes not answered yet: a status, a removal after it
    std::uint64_t written_version = 0;  // the precondition of the last status write
    std::uint64_t refused_version = 0;  // the API server refused a write about this version for good
    std::optional<Time> retry_at;

    const kube::Pod& pod() const { return object.As<kube::Pod>(); }
  };
  struct NodeState {
    std::optional<kube::Object> object;  // none: a node that does not exist
    kube::ResourceList used;             // of its admitted pods
    std::map<std::uint64_t, PodState*> pods;

    bool Works() const;
  };
  void OnNode(const drive::Changed& change);
  void OnPod(const drive::Changed& change);
  void OnAnswer(Time now, const drive::Answer& answer);
  void Adopt(PodState& state);
  void Forget(PodState& state);
  void Hold(PodState& state);
  void Release(PodState& state);
  void CountFailure(const PodState& state);
  int FailuresBefore(const PodState& state) const;

  void Look(Time now, PodState& state);
  void LookAtEnded(PodState& state);
  void LookAtDeleted(Time now, PodState& state);
  void Admit(Time now, PodState& state);
  void LookAtStarting(Time now, PodState& state);
  void LookAtRunning(Time now, PodState& state);
  void EndRun(Time now, PodState& state, int exit_code);
  std::optional<Time> EndOfRun(const PodState& state) const;
  std::optional<Time> Deadline(const PodState& state) const;
  Duration BackOff(const PodState& state) const;

  json::object StatusOf(const PodState& state) const;
  drive::EffectId Say(PodState& state, Saying saying);
  drive::EffectId WriteStatus(PodState& state);
  void Remove(PodState& state, std::optional<drive::EffectId> after);
  drive::EffectId Ask(PodState& state, drive::Effect effect);
  std::vector<kube::ContainerPort> PortsOn(const NodeState& node) const;

  const KubeletOptions options_;
  std::map<std::string, std::unique_ptr<NodeState>, std::less<>>
      nodes_;  // by name; kept while a pod is bound to it
  boost::unordered_flat_map<std::string, std::unique_ptr<PodState>> pods_;  // by UID
  boost::unordered_flat_map<std::uint64_t, PodState*> by_number_;
  boost::unordered_flat_map<std::uint64_t, std::string> asked_;  // effect -> UID of the pod
  boost::unordered_flat_map<std::string, int> failures_;         // "controller UID/index" -> failed runs
  TimerSet timers_;                                              // by number
  std::map<std::uint64_t, PodState*> dirty_;  // to be looked at in this Step, in the order they were bound
  std::set<std::string> complaints_;
  std::vector<drive::Effect> effects_;
  std::uint64_t last_number_ = 0;
  std::uint64_t last_effect_ = 0;
  int listed_ = 0;
};

}  // namespace cadre::sim

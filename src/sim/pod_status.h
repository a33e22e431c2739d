// What kubelets and the garbage collector write into a pod's status. Pure functions: merge patches of the
// status subresource, complete in their lists (a merge patch replaces lists whole), so they must be written
// with the pod's version as precondition.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/time.h"
#include "kube/object.h"
#include "sim/kubelet_admission.h"

namespace cadre::sim {

// One container's life so far, as its status tells it. All containers of a simulated pod share it.
struct ContainerLife {
  Time started{};
  int restarts = 0;
  std::optional<Time> last_end;  // of the run before the present one
  int last_exit_code = 0;
};

json::object RejectedStatus(const kube::Object& pod, const Rejection& rejection, Time now);
// Running and ready, from `life.started` on.
json::object RunningStatus(const kube::Object& pod, const ContainerLife& life);
// Between two runs with restartPolicy OnFailure: phase Running, not ready, waiting.
json::object CrashLoopStatus(const kube::Object& pod, const ContainerLife& life, Time now);
// Succeeded or Failed; `reason` and `message` are the pod's own ("DeadlineExceeded"), empty for none. `life`
// none: it never ran.
json::object EndedStatus(const kube::Object& pod, const std::optional<ContainerLife>& life, int exit_code,
                         Time now, std::string_view reason = {}, std::string_view message = {});

// Failed by the control plane, not by itself: with condition DisruptionTarget.
json::object DisruptedStatus(const kube::Object& pod, std::string_view reason, std::string_view message,
                             Time now);

// The life that a status tells; none when its containers have not started.
std::optional<ContainerLife> LifeIn(const kube::Object& pod);
// Its containers are in CrashLoopBackOff.
bool WaitsForRestart(const kube::Object& pod);

}  // namespace cadre::sim

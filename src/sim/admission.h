// What happens to an object between its POST and the store: defaults, priority from its class, the Job's own
// selector and labels, the first status. Source: measured on Kubernetes 1.36 (admission plugins Priority and
// the strategies of the registries); JobSets as their webhook does it.
//
// One deviation, for dumps without their PriorityClasses: an unknown priorityClassName is taken, with the
// priority that the pod gives or 0, and a warning is kept. Thread rule: one thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"
#include "kube/job.h"
#include "sim/store.h"

namespace cadre::sim {

// Labels that the API server puts on a Job's pod template: the current names, and those from before they had
// a domain. The first two hold the Job's UID, the others its name.
inline constexpr std::array<std::string_view, 4> kOwnJobLabels = {kube::kControllerUidLabel, "controller-uid",
                                                                  kube::kJobNameLabel, "job-name"};

class Admission {
 public:
  // The store is borrowed and must outlive it.
  explicit Admission(Store& store) : store_(store) {}

  // Completes the body of a new object whose metadata (name, uid) is final. An error is the API server's
  // refusal.
  Result<void> AdmitCreate(Time now, kube::Kind kind, json::object& body);

  // Once per unknown class, in the order they turned up.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct DefaultClass {
    std::string name;
    std::int32_t value = 0;
  };

  Result<void> AdmitPod(Time now, json::object& pod);
  Result<void> SetPriority(json::object& pod, json::object& spec);
  std::optional<std::int32_t> PriorityOf(std::string_view class_name) const;
  const std::optional<DefaultClass>& GlobalDefault();
  void WarnOnce(std::string_view pod, std::string_view class_name);

  Store& store_;
  std::optional<DefaultClass> global_default_;
  std::optional<std::uint64_t> global_default_as_of_;  // end of PriorityClass' history when it was looked up
  std::vector<std::string> warnings_;
  std::vector<std::string> warned_classes_;
};

// Takes out of an object from a dump what only the API server may have put there, so that it can be created
// anew: status (not a Node's), uid, versions, times, and a Job's generated selector and labels.
void StripServerFields(kube::Kind kind, json::object& body);

}  // namespace cadre::sim

// JobExpectations: the own writes about one Job that the watch has not shown yet.
//
// While there are any, the Job is left alone: a pass over a view that lags would create pods twice or count
// them twice (Kubernetes 1.36 does the same, gate StaleControllerConsistencyJob). In memory only: a new
// process starts from a list.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/time.h"

namespace cadre::sim {

class JobExpectations {
 public:
  void ExpectPod(std::string name, Time now);
  void ExpectDeletion(std::string uid, Time now);
  void ExpectRelease(std::string uid, Time now);  // of the tracking finalizer
  void ExpectJob(std::uint64_t resource_version, Time now);

  void SawPod(std::string_view name, std::string_view uid, bool deleting, bool has_finalizer);
  void SawPodGone(std::string_view uid);
  void SawJob(std::uint64_t resource_version);
  void SawName(std::string_view name);  // a pod of this name exists, whoever owns it

  bool Fulfilled() const;
  // When the oldest of what is awaited was asked for.
  std::optional<Time> since() const { return since_; }
  // Stops waiting. A removed finalizer stays removed all the same.
  void GiveUp();

  // We have taken the pod's finalizer off, whatever the watch still shows.
  bool IsReleased(std::string_view uid) const { return released_.contains(uid); }

 private:
  using Names = std::set<std::string, std::less<>>;

  void Begin(Time now);
  void EndIfFulfilled();

  Names pods_;
  Names deletions_;
  Names releases_;
  Names released_;                 // until the watch shows it
  std::uint64_t job_version_ = 0;  // 0: none awaited
  std::optional<Time> since_;
};

}  // namespace cadre::sim

// ScenarioWorld: what a scenario's expectations look at, kept up to date from the API's writes and from
// nothing else: the pods of every object and the binds that were accepted.
//
// It does not use the scheduler's idea of a group: a pod belongs to the Job that controls it, to the JobSet
// its label names, to the PodGroup it names, and to itself.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/scenario.h"
#include "drive/observed_api.h"
#include "kube/object.h"

namespace cadre::app {

struct BindRecord {
  Time at;
  std::string pod_uid;
  std::string node;
  std::string user;
};

class ScenarioWorld {
 public:
  // The api is borrowed. Pods that are there already are taken in; after that it must see every write.
  explicit ScenarioWorld(drive::ObservedApi& api);

  const drive::ObservedApi& api() const { return api_; }

  // The object itself; null when it is not there. REQUIRES: no index.
  const kube::Object* Find(const ObjectRef& ref) const;
  // The pod that a ref with an index, or of kind Pod, means now: the newest that is neither terminal nor
  // being deleted, else the newest. None when there is none.
  std::optional<kube::Object> FindPod(const ObjectRef& ref) const;
  // Pods that exist now and belong to the object, by name.
  std::vector<kube::Object> PodsOf(const ObjectRef& ref) const;
  // Accepted binds of its pods since the start, in order; those of pods that are gone as well.
  const std::vector<BindRecord>& BindsOf(const ObjectRef& ref) const;

  std::uint64_t binds_by(std::string_view user) const;
  std::uint64_t pod_creates() const { return pod_creates_; }

  // What the pod belongs to, as the keys that PodsOf looks up.
  static std::vector<std::string> OwnersOf(const kube::Object& pod);

 private:
  void OnWrite(const drive::WriteRecord& record);
  void Remove(const kube::Object& pod);
  void Add(const kube::Object& pod);

  drive::ObservedApi& api_;
  std::map<std::string, std::map<std::string, kube::Object>, std::less<>> pods_;  // owner -> "ns/name" -> pod
  std::map<std::string, std::vector<BindRecord>, std::less<>> binds_;             // owner -> its binds
  std::map<std::string, std::uint64_t, std::less<>> binds_by_;
  std::uint64_t pod_creates_ = 0;
};

// Bound, not terminal and not being deleted.
bool IsPlaced(const kube::Object& pod);

}  // namespace cadre::app

// ObjectMeta and the small types that all objects share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/container/flat_map.hpp>

#include "base/time.h"

namespace cadre::kube {

// Labels, annotations, node selectors: ordered by key, so that iterating is deterministic.
using StringMap = boost::container::flat_map<std::string, std::string, std::less<>>;

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
  bool block_owner_deletion = false;

  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

struct ObjectMeta {
  std::string name;
  std::string generate_name;
  std::string namespace_;  // empty for cluster-scoped kinds
  std::string uid;
  std::uint64_t resource_version = 0;  // 0: not read from an API server
  std::int64_t generation = 0;
  std::optional<Time> creation_timestamp;  // whole seconds, as the API server writes it
  std::optional<Time> deletion_timestamp;  // set: the object is being deleted
  StringMap labels;
  StringMap annotations;
  std::vector<OwnerReference> owner_references;
  std::vector<std::string> finalizers;

  // The owner reference with controller=true, or null.
  const OwnerReference* Controller() const;

  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

// What every object is at least. Kinds of which we use only the metadata (Service, ConfigMap…) are this and
// no more.
struct Resource {
  ObjectMeta metadata;
  virtual ~Resource() = default;

  friend bool operator==(const Resource&, const Resource&) = default;
};

// metav1.Condition and its relatives (PodCondition, JobCondition).
struct Condition {
  std::string type;
  bool status = false;  // "True"; "False" and "Unknown" are both false
  std::string reason;
  std::string message;
  std::optional<Time> last_transition_time;

  friend bool operator==(const Condition&, const Condition&) = default;
};

// The condition of this type if it is present and True.
const Condition* FindTrue(const std::vector<Condition>& conditions, std::string_view type);

// "namespace/name", or "name" for cluster-scoped objects: how messages and maps name an object.
std::string KeyOf(const ObjectMeta& meta);

}  // namespace cadre::kube

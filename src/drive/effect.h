// What a machine wants done to the API server. Effects are values: a machine never waits for one, it hears of
// the end in an Answer event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <boost/json/object.hpp>

#include "kube/kind.h"
#include "kube/meta.h"

namespace cadre::drive {

// Unique within the life of one machine. A new process starts from 1 again: no effect survives its process.
enum class EffectId : std::uint64_t {};

// How the API server answered. Retryable answers (429, 5xx, a cut connection before the request left) are
// retried by the driver up to its bound first.
enum class Outcome : std::uint8_t {
  kDone,
  kConflict,   // 409: precondition (uid, resourceVersion) failed, already bound, already exists
  kGone,       // 404
  kRejected,   // 400, 403, 422: it will never be taken in this form
  kRetryable,  // the driver gave up retrying; it certainly did not happen
  kUnknown,    // the answer was lost: the write may have happened. The watch tells.
  kNotSent,  // its predecessor (`after`) did not end in kDone, or it was dropped under pressure (conditions,
             // notes)
};

std::string_view ToString(Outcome outcome);

// What may wait for what, and what is dropped first. The driver sends lower lanes first; kNote and kCondition
// are dropped (oldest first, answered kNotSent) when more than their bound wait.
enum class Lane : std::uint8_t { kBind, kWrite, kCondition, kNote };

// An object by name. namespace_ is empty for cluster-scoped kinds.
struct Target {
  kube::Kind kind{};
  std::string namespace_;
  std::string name;
};

// POST pods/NAME/binding. Annotations are copied onto the pod in the same write (measured fact).
struct Bind {
  Target pod;
  std::string node;
  kube::StringMap annotations;
};

// POST of a whole object; apiVersion and kind are filled in from `kind`.
struct Create {
  kube::Kind kind{};
  std::string namespace_;
  boost::json::object body;
};

// PATCH with a JSON merge patch (RFC 7386): null deletes a key, lists are replaced whole.
struct Patch {
  Target target;
  boost::json::object merge;
};

// The same against the status subresource: only `status` of the patch counts.
struct PatchStatus {
  Target target;
  boost::json::object merge;
  // application/strategic-merge-patch+json: items of `status.conditions` are merged by their type, those that
  // the patch does not name stay. Built-in kinds only: the API server refuses it for custom resources.
  bool strategic = false;
};

enum class Propagation : std::uint8_t { kBackground, kForeground, kOrphan };

struct Delete {
  Target target;
  Propagation propagation = Propagation::kBackground;
  std::optional<std::int64_t> grace_period_seconds;  // pods; none: the pod's own
};

// POST pods/NAME/eviction.
struct Evict {
  Target pod;
};

// A Kubernetes Event about an object. Aggregated and dropped first; never holds anything up.
struct Note {
  Target regarding;
  std::string regarding_uid;
  bool warning = false;
  std::string reason;   // CamelCase, for machines
  std::string message;  // for people
};

using What = std::variant<Bind, Create, Patch, PatchStatus, Delete, Evict, Note>;

struct Effect {
  EffectId id{};
  std::optional<EffectId> after;  // sent once that effect is answered kDone
  Lane lane = Lane::kWrite;
  std::string uid;                     // precondition: the object's UID; empty: none
  std::uint64_t resource_version = 0;  // precondition: its resourceVersion; 0: none
  What what;
};

// "bind default/web-0 -> node-3": one line for logs and traces, the same for the same effect.
std::string ToString(const Effect& effect);

}  // namespace cadre::drive

// Machine: everything that decides. It turns events into effects and does nothing else.
//
// Contract of Step: no clock, I/O, thread, lock, random source or global inside. The same sequence of (now,
// events) gives the same sequence of effects, byte for byte. `now` never goes back. Events of one object
// arrive in order; events of different kinds in any order. After a lost watch the driver lists again and
// sends the difference as Changed events, so a machine never sees a gap, at most a jump. Thread rule: the
// driver calls one machine from one thread at a time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "drive/effect.h"
#include "kube/kind.h"
#include "kube/object.h"

namespace cadre::drive {

// An object was added or changed, or is gone (`deleted`: the object is its last known state).
// A deletion and re-creation under one name arrives as two events: objects are the same only if their UIDs
// are.
struct Changed {
  kube::Object object;
  bool deleted = false;
};

// The first list of this kind is complete: everything that existed has been sent as Changed before this.
// A machine decides nothing that depends on a kind before it has heard this for it.
struct Listed {
  kube::Kind kind{};
};

// The end of an effect that this machine asked for. `object` is what the API server sent back, if anything.
struct Answer {
  EffectId id{};
  Outcome outcome = Outcome::kDone;
  std::string message;  // the API server's words when it is not kDone
  std::optional<kube::Object> object;
};

using Event = std::variant<Changed, Listed, Answer>;

struct StepResult {
  std::vector<Effect> effects;
  // Call Step again at this time at the latest, even without events. The last Step's wish counts: none
  // cancels it.
  std::optional<Time> wake;
};

class Machine {
 public:
  virtual ~Machine() = default;
  // For logs and as the field manager of writes: "cadre-scheduler".
  virtual std::string_view Name() const = 0;
  // The kinds it wants to see, constant over its life.
  virtual std::span<const kube::Kind> Kinds() const = 0;
  virtual StepResult Step(Time now, std::span<const Event> events) = 0;
};

}  // namespace cadre::drive

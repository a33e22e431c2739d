// ObservedApi: the objects of an API server as they are now, and each write that it has accepted: what
// checkers, trackers and reports look at. sim::MemoryApi is one; app::Mirror keeps one of a real API server.
//
// Thread rule: the event loop's thread.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "drive/effect.h"
#include "kube/kind.h"
#include "kube/object.h"

namespace cadre::drive {

// One accepted write. `before` is null for a creation, `after` when the object is gone; a write that changed
// nothing has the same object in both. Notes are not among them.
struct WriteRecord {
  Time at;
  std::string_view user;
  const Effect& effect;
  const kube::Object* before = nullptr;
  const kube::Object* after = nullptr;
};

class ObservedApi {
 public:
  using Observer = std::function<void(const WriteRecord&)>;

  virtual ~ObservedApi() = default;
  // Null when there is no such object; valid until the next write.
  virtual const kube::Object* Find(kube::Kind kind, std::string_view namespace_,
                                   std::string_view name) const = 0;
  // Sorted by namespace and name.
  virtual std::vector<kube::Object> All(kube::Kind kind) const = 0;
  // Called synchronously after each accepted write, in order of registration. It must not write.
  virtual void AddWriteObserver(Observer observer) = 0;
};

}  // namespace cadre::drive

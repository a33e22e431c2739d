// Api: the one way to the API server. live::HttpApi and sim::MemoryApi implement it; nothing above knows
// which.
//
// All calls are asynchronous: they return at once and call back later from the event loop, never from inside
// the call. A callback is called exactly once for List and Write, any number of times for Watch until the
// stream has ended. Thread rule: all calls and callbacks on the event loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "drive/effect.h"
#include "kube/object.h"

namespace cadre::drive {

struct ListResult {
  std::vector<kube::Object> objects;
  std::uint64_t resource_version = 0;  // watch from here
};

struct WatchChange {
  kube::Object object;
  bool deleted = false;
};
// Nothing changed up to this version: resume from here instead of from the last change.
struct WatchBookmark {
  std::uint64_t resource_version = 0;
};
// The stream is over. `expired` (410 Gone): the version is too old, list again. Otherwise resume from the
// last version: servers end streams at any time, without an error, more so under load.
struct WatchEnd {
  bool expired = false;
  std::string reason;
};
using WatchEvent = std::variant<WatchChange, WatchBookmark, WatchEnd>;

// Dropping the handle stops the watch; no callback comes after that.
class WatchHandle {
 public:
  virtual ~WatchHandle() = default;
};

struct WriteResult {
  Outcome outcome = Outcome::kDone;
  std::string message;                 // the API server's words when it is not kDone
  Duration retry_after{0};             // with kRetryable: the server's Retry-After, 0 when it gave none
  std::optional<kube::Object> object;  // what came back
};

class Api {
 public:
  virtual ~Api() = default;
  // A consistent list (never from a stale cache), paged or streamed as the implementation likes.
  virtual void List(kube::Kind kind, std::function<void(Result<ListResult>)> done) = 0;
  virtual std::unique_ptr<WatchHandle> Watch(kube::Kind kind, std::uint64_t from,
                                             std::function<void(WatchEvent)> on_event) = 0;
  // One attempt. `user` names the writer (user agent, field manager, event source).
  virtual void Write(std::string_view user, const Effect& effect, std::function<void(WriteResult)> done) = 0;
};

}  // namespace cadre::drive

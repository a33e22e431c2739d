// Protobuf -> structs: how an API server sends built-in kinds to who accepts
// application/vnd.kubernetes.protobuf.
//
// Pod, Node and Job, lists and watches of them, and Status; other kinds are read as JSON (decode.h). The
// structs are the same as those that Decode makes of the same object's JSON, defaulting included; Object::raw
// is null, so fields without a place in the structs are gone. A test holds both decoders against each other.
//
// Whatever the bytes, the answer is an object or an error; it names the object as far as it was read, and the
// path of the field (without the indexes of lists). Text that is not UTF-8 is replaced as Go's JSON encoder
// does. Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding (envelope,
// frames of a watch); field numbers from generated.proto of k8s.io/api and k8s.io/apimachinery v0.36.3.
// Thread rule: pure functions; what they return does not point into the bytes unless it says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/object.h"
#include "kube/status.h"

namespace cadre::kube {

// Whether DecodeProtobuf and its kin read this kind.
bool HasProtobuf(Kind kind);

// The content of an envelope. Points into the bytes.
struct ProtobufEnvelope {
  std::string_view api_version;
  std::string_view kind;  // "Pod", "PodList", "Status"
  std::string_view raw;   // the message itself
};

// REQUIRES of the bytes: "k8s\0", then a runtime.Unknown that is not encoded further.
Result<ProtobufEnvelope> OpenProtobuf(std::string_view bytes);

// One object in its envelope. A Status instead is an error with its message: use OpenProtobuf where one is
// expected.
Result<Object> DecodeProtobuf(std::string_view bytes);

// metadata of a list.
struct ListMeta {
  std::uint64_t resource_version = 0;
  std::string continue_token;  // empty: this was the last page
  std::optional<std::int64_t> remaining_items;
};

struct ObjectList {
  Kind kind{};
  ListMeta metadata;
  std::vector<Object> items;
  std::vector<Error> unreadable;  // items that are no good object; they are not among `items`
};

// A PodList, NodeList or JobList in its envelope. One bad item does not hide the others.
Result<ObjectList> DecodeProtobufList(std::string_view bytes);

// A Status in its envelope.
Result<Status> DecodeProtobufStatus(std::string_view bytes);

enum class WatchEventType : std::uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };

// One event of a watch. A bookmark's object has nothing but its resourceVersion.
struct ObjectWatchEvent {
  WatchEventType type{};
  std::optional<Object> object;  // of every type but kError
  std::optional<Status> status;  // of kError; code 410: the version watched from is too old, list again
};

// `frame` is one frame of a watch without its length.
Result<ObjectWatchEvent> DecodeProtobufWatchEvent(std::string_view frame);

// Cuts the bytes of a watch (application/vnd.kubernetes.protobuf;stream=watch) into frames: each is preceded
// by its length, four bytes, the highest first. Holds at most one unfinished frame and what was appended
// last.
class ProtobufFrames {
 public:
  // The largest frame that is taken: ten times the largest object that etcd stores by default.
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20U;

  // The next part of the stream, of any length. The frame returned last is no longer valid.
  void Append(std::string_view bytes);

  // The next frame that is complete, valid until Append; nothing when more bytes are needed. After an error
  // the stream cannot be read on.
  Result<std::optional<std::string_view>> Next();

  // Whether the stream may end here: no frame is unfinished.
  bool IsAtBoundary() const { return begin_ == buffer_.size(); }

 private:
  std::string buffer_;
  std::size_t begin_ = 0;  // of what has not been returned
};

}  // namespace cadre::kube

// The body of a watch, piece by piece as it comes, as events: one JSON object a line
// ({"type":"ADDED","object":{…}}), or frames of protobuf for the kinds that are read so.
//
// Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "drive/api.h"
#include "kube/kind.h"
#include "kube/protobuf_decode.h"

namespace cadre::live {

class WatchStream {
 public:
  // The longest line: ten times the largest object that etcd stores by default.
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20U;

  WatchStream(kube::Kind kind, bool protobuf) : kind_(kind), protobuf_(protobuf) {}

  // The events that the next piece completes, in order. A WatchEnd among them is the last: the server said
  // why it ends, or the stream has lost its shape. Nothing may be appended after one.
  std::vector<drive::WatchEvent> Append(std::string_view piece);

  // What could not be read since the last call, each as a sentence. Such an event is left out: were it the
  // end of the stream, the next one would begin with it again.
  std::vector<std::string> TakeProblems() { return std::exchange(problems_, {}); }

 private:
  bool Take(Result<drive::WatchEvent> event, std::vector<drive::WatchEvent>& out);
  void AppendLines(std::string_view piece, std::vector<drive::WatchEvent>& out);
  void AppendFrames(std::string_view piece, std::vector<drive::WatchEvent>& out);

  kube::Kind kind_;
  bool protobuf_;
  std::string line_;  // the beginning of one
  kube::ProtobufFrames frames_;
  std::vector<std::string> problems_;
};

}  // namespace cadre::live

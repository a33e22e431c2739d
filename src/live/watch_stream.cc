#include "live/watch_stream.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "kube/decode.h"

namespace cadre::live {
namespace {

using drive::WatchEnd;
using drive::WatchEvent;
using kube::WatchEventType;

constexpr std::int32_t kGone = 410;

struct NamedType {
  std::string_view name;
  WatchEventType type;
};
constexpr std::array<NamedType, 5> kTypes = {{{"ADDED", WatchEventType::kAdded},
                                              {"MODIFIED", WatchEventType::kModified},
                                              {"DELETED", WatchEventType::kDeleted},
                                              {"BOOKMARK", WatchEventType::kBookmark},
                                              {"ERROR", WatchEventType::kError}}};

WatchEnd OutOfShape(kube::Kind kind, std::string_view what) {
  return {.expired = false, .reason = fmt::format("watch of {}: {}", kube::Info(kind).plural, what)};
}

WatchEvent FromStatus(kube::Kind kind, const kube::Status& status) {
  return WatchEnd{.expired = status.code == kGone,
                  .reason = fmt::format("watch of {}: {} {}: {}", kube::Info(kind).plural, status.code,
                                        status.reason, status.message)};
}

WatchEvent FromObject(WatchEventType type, kube::Object object) {
  if (type == WatchEventType::kBookmark) return drive::WatchBookmark{object.Meta().resource_version};
  return drive::WatchChange{std::move(object), type == WatchEventType::kDeleted};
}

Result<WatchEvent> BookmarkOf(const json::value& object) {
  const std::string_view version = FindString(object, {"metadata", "resourceVersion"});
  drive::WatchBookmark bookmark;
  const auto [end, error] =
      std::from_chars(version.data(), version.data() + version.size(), bookmark.resource_version);
  if (error != std::errc{} || end != version.data() + version.size())
    return Err("a bookmark of version \"{}\", expected a number", version);
  return bookmark;
}

Result<WatchEvent> FromLine(kube::Kind kind, std::string_view line) {
  boost::system::error_code error;
  json::value value = json::parse(line, error);
  if (error) return Err("an event is not JSON: {}", error.message());
  const std::string name(FindString(value, {"type"}));
  const auto type = std::ranges::find(kTypes, name, &NamedType::name);
  if (type == kTypes.end()) return Err("an event of the unknown type \"{}\"", name);
  json::value* object = value.is_object() ? value.get_object().if_contains("object") : nullptr;
  if (object == nullptr) return Err("an event without an object");
  if (type->type == WatchEventType::kError) {
    CADRE_TRY(const kube::Status status, kube::DecodeStatus(*object));
    return FromStatus(kind, status);
  }
  // A bookmark's object is no whole one.
  if (type->type == WatchEventType::kBookmark) return BookmarkOf(*object);
  CADRE_TRY(kube::Object decoded, kube::Decode(kind, std::move(*object)));
  return FromObject(type->type, std::move(decoded));
}

Result<WatchEvent> FromFrame(kube::Kind kind, std::string_view frame) {
  CADRE_TRY(kube::ObjectWatchEvent event, kube::DecodeProtobufWatchEvent(frame));
  if (event.status) return FromStatus(kind, *event.status);
  if (!event.object) return Err("an event without an object");
  return FromObject(event.type, *std::move(event.object));
}

}  // namespace

std::vector<WatchEvent> WatchStream::Append(std::string_view piece) {
  std::vector<WatchEvent> out;
  if (protobuf_) {
    AppendFrames(piece, out);
  } else {
    AppendLines(piece, out);
  }
  return out;
}

// True: the stream is over.
bool WatchStream::Take(Result<WatchEvent> event, std::vector<WatchEvent>& out) {
  if (!event) {
    problems_.push_back(
        fmt::format("watch of {}: {}; it is left out", kube::Info(kind_).plural, event.error().message));
    return false;
  }
  out.push_back(*std::move(event));
  return std::holds_alternative<WatchEnd>(out.back());
}

void WatchStream::AppendLines(std::string_view piece, std::vector<WatchEvent>& out) {
  for (std::size_t end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
    line_.append(piece.substr(0, end));
    piece.remove_prefix(end + 1);
    const std::string line = std::exchange(line_, {});
    if (!line.empty() && Take(FromLine(kind_, line), out)) return;
  }
  line_.append(piece);
  if (line_.size() > kMostBytes)
    out.push_back(OutOfShape(kind_, fmt::format("an event is longer than {} bytes", kMostBytes)));
}

void WatchStream::AppendFrames(std::string_view piece, std::vector<WatchEvent>& out) {
  frames_.Append(piece);
  while (true) {
    Result<std::optional<std::string_view>> frame = frames_.Next();
    if (!frame) {
      out.push_back(OutOfShape(kind_, frame.error().message));
      return;
    }
    if (!frame->has_value() || Take(FromFrame(kind_, **frame), out)) return;
  }
}

}  // namespace cadre::live

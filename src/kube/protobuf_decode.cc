#include "kube/protobuf_decode.h"

#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"
#include "kube/protobuf_messages.h"
#include "kube/protobuf_reader.h"

namespace cadre::kube {
namespace {

constexpr std::string_view kMagic("k8s\0", 4);
constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kListSuffix = "List";
constexpr std::size_t kLengthBytes = 4;

// The kinds that are read, and how.
using Body = std::shared_ptr<const Resource>;
struct KindReader {
  Kind kind;
  Result<Object> (*read)(std::string_view message);
};

template <class T>
std::string Describe(const T& body) {
  const std::string_view kind = Info(T::kKind).name;
  const std::string key = KeyOf(body.metadata);
  return key.empty() ? std::string(kind) : fmt::format("{} {}", kind, Printable(key));
}

template <class T, std::expected<void, FieldError> (*kRead)(std::string_view, T&)>
Result<Object> ReadAs(std::string_view message) {
  auto body = std::make_shared<T>();
  if (const std::expected<void, FieldError> read = kRead(message, *body); !read) {
    const std::string field = ToString(read.error().path);
    return Err("{}: {}{}{}", Describe(*body), field, field.empty() ? "" : ": ", read.error().message);
  }
  return Object{.kind = T::kKind, .body = std::move(body), .raw = nullptr};
}

constexpr std::array<KindReader, 3> kReaders = {{
    {Kind::kPod, &ReadAs<Pod, ReadPodProtobuf>},
    {Kind::kNode, &ReadAs<Node, ReadNodeProtobuf>},
    {Kind::kJob, &ReadAs<Job, ReadJobProtobuf>},
}};

const KindReader* ReaderOf(std::string_view api_version, std::string_view kind_name) {
  for (const KindReader& reader : kReaders) {
    if (Info(reader.kind).name == kind_name && ApiVersion(reader.kind) == api_version) return &reader;
  }
  return nullptr;
}

std::unexpected<Error> NotRead(const ProtobufEnvelope& envelope) {
  return Err("{} of {} is not read as protobuf; ask for JSON", Printable(envelope.kind),
             Printable(envelope.api_version));
}

// A message that is no object: envelope, list, event.
template <class Fields, class T>
std::expected<void, Error> ReadWhole(std::string_view what, std::string_view bytes, const Fields& fields,
                                     T& out) {
  const std::expected<void, FieldError> read = ReadProtobuf(bytes, fields, out);
  if (read) return {};
  const std::string field = ToString(read.error().path);
  return Err("{}: {}{}{}", what, field, field.empty() ? "" : ": ", read.error().message);
}

struct UnknownParts {
  ProtobufEnvelope envelope;
  std::string_view content_encoding;
  std::string_view content_type;
};
constexpr auto kTypeMeta = FieldsOf<ProtobufEnvelope>({
    {1, "apiVersion",
     [](ProtobufReader& value, ProtobufEnvelope& out) { out.api_version = value.ReadBytes(); }},
    {2, "kind", [](ProtobufReader& value, ProtobufEnvelope& out) { out.kind = value.ReadBytes(); }},
});
constexpr auto kUnknown = FieldsOf<UnknownParts>({
    {1, "typeMeta",
     [](ProtobufReader& value, UnknownParts& out) { value.ReadMessage(kTypeMeta, out.envelope); }},
    {2, "raw", [](ProtobufReader& value, UnknownParts& out) { out.envelope.raw = value.ReadBytes(); }},
    {3, "contentEncoding",
     [](ProtobufReader& value, UnknownParts& out) { out.content_encoding = value.ReadBytes(); }},
    {4, "contentType",
     [](ProtobufReader& value, UnknownParts& out) { out.content_type = value.ReadBytes(); }},
});

constexpr auto kListMeta = FieldsOf<ListMeta>({
    {2, "resourceVersion",
     [](ProtobufReader& value, ListMeta& out) { value.ReadResourceVersion(out.resource_version); }},
    {3, "continue", [](ProtobufReader& value, ListMeta& out) { value.Read(out.continue_token); }},
    {4, "remainingItemCount", [](ProtobufReader& value, ListMeta& out) { value.Read(out.remaining_items); }},
});

struct ListParts {
  ObjectList list;
  const KindReader* reader = nullptr;
};
void ReadListItem(ProtobufReader& value, ListParts& out) {
  Result<Object> object = out.reader->read(value.ReadBytes());
  if (object) {
    out.list.items.push_back(*std::move(object));
  } else {
    out.list.unreadable.push_back(std::move(object).error());
  }
}
constexpr auto kList = FieldsOf<ListParts>({
    {1, "metadata",
     [](ProtobufReader& value, ListParts& out) { value.ReadMessage(kListMeta, out.list.metadata); }},
    {2, "items", &ReadListItem},
});

constexpr auto kStatusCause = FieldsOf<StatusCause>({
    {1, "reason", [](ProtobufReader& value, StatusCause& out) { value.Read(out.reason); }},
    {2, "message", [](ProtobufReader& value, StatusCause& out) { value.Read(out.message); }},
    {3, "field", [](ProtobufReader& value, StatusCause& out) { value.Read(out.field); }},
});
constexpr auto kStatusDetails = FieldsOf<Status>({
    {1, "name", [](ProtobufReader& value, Status& out) { value.Read(out.name); }},
    {2, "group", [](ProtobufReader& value, Status& out) { value.Read(out.group); }},
    {3, "kind", [](ProtobufReader& value, Status& out) { value.Read(out.kind); }},
    {4, "causes", [](ProtobufReader& value, Status& out) { value.ReadItem(kStatusCause, out.causes); }},
    {5, "retryAfterSeconds", [](ProtobufReader& value, Status& out) { value.Read(out.retry_after_seconds); }},
    {6, "uid", [](ProtobufReader& value, Status& out) { value.Read(out.uid); }},
});
constexpr auto kStatus = FieldsOf<Status>({
    {2, "status", [](ProtobufReader& value, Status& out) { value.Read(out.status); }},
    {3, "message", [](ProtobufReader& value, Status& out) { value.Read(out.message); }},
    {4, "reason", [](ProtobufReader& value, Status& out) { value.Read(out.reason); }},
    {5, "details", [](ProtobufReader& value, Status& out) { value.ReadMessage(kStatusDetails, out); }},
    {6, "code", [](ProtobufReader& value, Status& out) { value.Read(out.code); }},
});

constexpr std::array<Choice<WatchEventType>, 5> kEventTypes = {{
    {"ADDED", WatchEventType::kAdded},
    {"MODIFIED", WatchEventType::kModified},
    {"DELETED", WatchEventType::kDeleted},
    {"BOOKMARK", WatchEventType::kBookmark},
    {"ERROR", WatchEventType::kError},
}};
struct WatchEventParts {
  std::optional<WatchEventType> type;
  std::string_view object;  // in its envelope
};
void ReadEventType(ProtobufReader& value, WatchEventParts& out) {
  // An empty text is none.
  constexpr auto kNone = static_cast<WatchEventType>(0xff);
  WatchEventType type = kNone;
  value.ReadChoice<WatchEventType>(kEventTypes, type);
  if (type != kNone) out.type = type;
}
constexpr auto kRawExtension = FieldsOf<WatchEventParts>({
    {1, "raw", [](ProtobufReader& value, WatchEventParts& out) { out.object = value.ReadBytes(); }},
});
constexpr auto kWatchEvent = FieldsOf<WatchEventParts>({
    {1, "type", &ReadEventType},
    {2, "object", [](ProtobufReader& value, WatchEventParts& out) { value.ReadMessage(kRawExtension, out); }},
});

std::size_t LengthAt(std::string_view bytes) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    length = length << 8U | static_cast<unsigned char>(bytes[i]);
  return length;
}

}  // namespace

bool HasProtobuf(Kind kind) {
  for (const KindReader& reader : kReaders) {
    if (reader.kind == kind) return true;
  }
  return false;
}

Result<ProtobufEnvelope> OpenProtobuf(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return Err("not Kubernetes' protobuf: it does not start with k8s\\0");
  UnknownParts unknown;
  CADRE_TRY_VOID(ReadWhole("envelope", bytes.substr(kMagic.size()), kUnknown, unknown));
  if (!unknown.content_encoding.empty())
    return Err("envelope: contentEncoding: found \"{}\", expected none", Printable(unknown.content_encoding));
  if (!unknown.content_type.empty() && unknown.content_type != kProtobufType) {
    return Err("envelope: contentType: found \"{}\", expected {}", Printable(unknown.content_type),
               kProtobufType);
  }
  return unknown.envelope;
}

Result<Object> DecodeProtobuf(std::string_view bytes) {
  CADRE_TRY(const ProtobufEnvelope envelope, OpenProtobuf(bytes));
  const KindReader* reader = ReaderOf(envelope.api_version, envelope.kind);
  if (reader != nullptr) return reader->read(envelope.raw);
  if (envelope.kind != "Status") return NotRead(envelope);
  CADRE_TRY(const Status status, DecodeProtobufStatus(bytes));
  return Err("expected an object, the API server says {}: {} ({})", Printable(status.reason),
             Printable(status.message), status.code);
}

Result<ObjectList> DecodeProtobufList(std::string_view bytes) {
  CADRE_TRY(const ProtobufEnvelope envelope, OpenProtobuf(bytes));
  ListParts parts;
  if (envelope.kind.ends_with(kListSuffix)) {
    const std::string_view item = envelope.kind.substr(0, envelope.kind.size() - kListSuffix.size());
    parts.reader = ReaderOf(envelope.api_version, item);
  }
  if (parts.reader == nullptr) return NotRead(envelope);
  parts.list.kind = parts.reader->kind;
  CADRE_TRY_VOID(ReadWhole(envelope.kind, envelope.raw, kList, parts));
  return std::move(parts.list);
}

Result<Status> DecodeProtobufStatus(std::string_view bytes) {
  CADRE_TRY(const ProtobufEnvelope envelope, OpenProtobuf(bytes));
  if (envelope.kind != "Status" || envelope.api_version != "v1") {
    return Err("found {} of {}, expected Status of v1", Printable(envelope.kind),
               Printable(envelope.api_version));
  }
  Status status;
  CADRE_TRY_VOID(ReadWhole("Status", envelope.raw, kStatus, status));
  return status;
}

Result<ObjectWatchEvent> DecodeProtobufWatchEvent(std::string_view frame) {
  WatchEventParts parts;
  CADRE_TRY_VOID(ReadWhole("event of a watch", frame, kWatchEvent, parts));
  if (!parts.type) return Err("event of a watch: type: missing");
  ObjectWatchEvent event{.type = *parts.type, .object = std::nullopt, .status = std::nullopt};
  if (event.type == WatchEventType::kError) {
    CADRE_TRY(event.status, DecodeProtobufStatus(parts.object));
  } else {
    CADRE_TRY(event.object, DecodeProtobuf(parts.object));
  }
  return event;
}

void ProtobufFrames::Append(std::string_view bytes) {
  buffer_.erase(0, std::exchange(begin_, 0));
  buffer_.append(bytes);
}

Result<std::optional<std::string_view>> ProtobufFrames::Next() {
  const std::string_view rest = std::string_view(buffer_).substr(begin_);
  if (rest.size() < kLengthBytes) return std::nullopt;
  const std::size_t length = LengthAt(rest);
  if (length > kMostBytes) return Err("watch: a frame of {} bytes, at most {} are taken", length, kMostBytes);
  if (rest.size() - kLengthBytes < length) return std::nullopt;
  begin_ += kLengthBytes + length;
  return rest.substr(kLengthBytes, length);
}

}  // namespace cadre::kube

#include "kube/decode.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "kube/decode_reader.h"
#include "kube/job.h"
#include "kube/jobset.h"
#include "kube/leaderworkerset.h"
#include "kube/node.h"
#include "kube/pod.h"
#include "kube/podgroup.h"
#include "kube/volume.h"

namespace cadre::kube {
namespace json = boost::json;
namespace {

using Body = std::shared_ptr<const Resource>;

template <class T, void (*kRead)(const Reader&, T&)>
Body ReadAs(const Reader& root) {
  auto body = std::make_shared<T>();
  ReadMetadata(root, body->metadata);
  kRead(root, *body);
  return body;
}

void ReadNothingMore(const Reader&, Resource&) {}

constexpr auto kMetadataOnly = &ReadAs<Resource, ReadNothingMore>;

// One decoder per kind, in the order of the enumeration.
struct KindDecoder {
  Kind kind;
  Body (*read)(const Reader&);
};
constexpr std::array<KindDecoder, 16> kDecoders = {{
    {Kind::kNamespace, kMetadataOnly},
    {Kind::kNode, &ReadAs<Node, ReadNode>},
    {Kind::kPod, &ReadAs<Pod, ReadPod>},
    {Kind::kService, kMetadataOnly},
    {Kind::kConfigMap, kMetadataOnly},
    {Kind::kEvent, kMetadataOnly},
    {Kind::kLease, kMetadataOnly},
    {Kind::kPriorityClass, &ReadAs<PriorityClass, ReadPriorityClass>},
    {Kind::kPersistentVolume, &ReadAs<PersistentVolume, ReadPersistentVolume>},
    {Kind::kPersistentVolumeClaim, &ReadAs<PersistentVolumeClaim, ReadPersistentVolumeClaim>},
    {Kind::kStorageClass, &ReadAs<StorageClass, ReadStorageClass>},
    {Kind::kJob, &ReadAs<Job, ReadJob>},
    {Kind::kJobSet, &ReadAs<JobSet, ReadJobSet>},
    {Kind::kPodGroup, &ReadAs<PodGroup, ReadNativePodGroup>},
    {Kind::kSchedulerPluginsPodGroup, &ReadAs<PodGroup, ReadSchedulerPluginsPodGroup>},
    {Kind::kLeaderWorkerSet, &ReadAs<LeaderWorkerSet, ReadLeaderWorkerSet>},
}};

constexpr bool InOrderOfTheEnumeration() {
  for (std::size_t i = 0; i < kDecoders.size(); ++i) {
    if (static_cast<std::size_t>(kDecoders[i].kind) != i) return false;
  }
  return true;
}
static_assert(InOrderOfTheEnumeration());

std::string_view StringAt(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  const json::string* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

Error ToError(Kind kind, const json::value& raw, const FieldError& error) {
  const std::string field = ToString(error.path);
  return Error{fmt::format("{}: {}{}{}", DescribeRaw(Info(kind).name, raw), field, field.empty() ? "" : ": ",
                           error.message)};
}

}  // namespace

std::string DescribeRaw(std::string_view kind, const json::value& raw) {
  std::string text(kind);
  const json::object* object = raw.if_object();
  const json::value* metadata = object == nullptr ? nullptr : object->if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) return text;
  const std::string_view name_space = StringAt(metadata->get_object(), "namespace");
  const std::string_view name = StringAt(metadata->get_object(), "name");
  if (!name.empty())
    text += name_space.empty() ? fmt::format(" {}", name) : fmt::format(" {}/{}", name_space, name);
  return text;
}

std::expected<Object, FieldError> DecodeFields(Kind kind, const std::shared_ptr<const json::value>& raw) {
  const json::object* root = raw->if_object();
  if (root == nullptr)
    return std::unexpected(FieldError{.path = {}, .message = "not an object (a map of fields)"});
  std::optional<FieldError> error;
  Body body = kDecoders[static_cast<std::size_t>(kind)].read(Reader(*root, error));
  if (error) return std::unexpected(*std::move(error));
  return Object{.kind = kind, .body = std::move(body), .raw = raw};
}

Result<Object> Decode(Kind kind, json::value value) {
  return Decode(kind, std::make_shared<const json::value>(std::move(value)));
}

Result<Object> Decode(Kind kind, const std::shared_ptr<const json::value>& raw) {
  std::expected<Object, FieldError> object = DecodeFields(kind, raw);
  if (!object) return std::unexpected(ToError(kind, *raw, object.error()));
  return *std::move(object);
}

Result<Object> Decode(json::value value) {
  const json::object* root = value.if_object();
  if (root == nullptr) return Err("not a Kubernetes object: expected a map of fields");
  const std::string_view api_version = StringAt(*root, "apiVersion");
  const std::string_view kind_name = StringAt(*root, "kind");
  if (api_version.empty() || kind_name.empty()) {
    return Err(
        "not a Kubernetes object: it needs both apiVersion and kind (found apiVersion \"{}\", kind \"{}\")",
        api_version, kind_name);
  }
  const std::optional<Kind> kind = KindOf(api_version, kind_name);
  if (!kind) {
    const std::string instead = ReadInstead(api_version, kind_name);
    if (!instead.empty()) return Err("{} of {} is not read, {} is", kind_name, api_version, instead);
    return Err("{} of {} is not a kind that Cadre knows", kind_name, api_version);
  }
  return Decode(*kind, std::move(value));
}

}  // namespace cadre::kube

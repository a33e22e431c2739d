#include "live/rest.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"
#include "kube/decode.h"
#include "kube/status.h"
#include "net/url.h"

namespace cadre::live {
namespace {

using drive::Outcome;
using net::EscapePathSegment;
using net::QueryText;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kMergePatch = "application/merge-patch+json";
constexpr std::string_view kStrategicMergePatch = "application/strategic-merge-patch+json";
constexpr std::string_view kDefaultNamespace = "default";
constexpr std::size_t kMostOfName = 230;  // so that the name of an Event has at most 253 characters

std::string ObjectPath(const drive::Target& target, std::string_view version) {
  return fmt::format("{}/{}", CollectionPath(target.kind, version, target.namespace_),
                     EscapePathSegment(target.name));
}

json::object Preconditions(const drive::Effect& effect) {
  json::object preconditions;
  if (!effect.uid.empty()) preconditions["uid"] = effect.uid;
  if (effect.resource_version != 0)
    preconditions["resourceVersion"] = fmt::to_string(effect.resource_version);
  return preconditions;
}

// What a binding, and a merge patch, is held to: the API server compares these with the object that it has.
void PutPreconditions(const drive::Effect& effect, json::object& body) {
  const json::object preconditions = Preconditions(effect);
  if (preconditions.empty()) return;
  json::value& metadata = body["metadata"];
  if (!metadata.is_object()) metadata.emplace_object();
  for (const auto& [key, value] : preconditions)
    metadata.get_object()[key] = value;
}

class Writer {
 public:
  Writer(std::string_view user, const drive::Effect& effect, std::string_view version, Time now)
      : manager_(QueryText({{"fieldManager", user}})),
        user_(user),
        effect_(effect),
        version_(version),
        now_(now) {}

  RestRequest operator()(const drive::Bind& bind) const {
    json::object body{{"apiVersion", "v1"},
                      {"kind", "Binding"},
                      {"metadata", json::object{{"name", bind.pod.name}, {"namespace", bind.pod.namespace_}}},
                      {"target", json::object{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", bind.node}}}};
    PutPreconditions(effect_, body);
    if (!bind.annotations.empty()) {
      json::object annotations;
      for (const auto& [key, value] : bind.annotations)
        annotations[key] = value;
      body["metadata"].as_object()["annotations"] = std::move(annotations);
    }
    return Sent("POST", ObjectPath(bind.pod, version_) + "/binding" + manager_, kJson, body);
  }

  RestRequest operator()(const drive::Create& create) const {
    json::object body = create.body;
    const std::string_view group = kube::Info(create.kind).group;
    body["apiVersion"] = group.empty() ? std::string(version_) : fmt::format("{}/{}", group, version_);
    body["kind"] = kube::Info(create.kind).name;
    return Sent("POST", CollectionPath(create.kind, version_, create.namespace_) + manager_, kJson, body);
  }

  RestRequest operator()(const drive::Patch& patch) const {
    return Patched(ObjectPath(patch.target, version_), kMergePatch, patch.merge);
  }

  RestRequest operator()(const drive::PatchStatus& patch) const {
    return Patched(ObjectPath(patch.target, version_) + "/status",
                   patch.strategic ? kStrategicMergePatch : kMergePatch, patch.merge);
  }

  RestRequest operator()(const drive::Delete& del) const {
    static constexpr std::array<std::string_view, 3> kPolicies = {"Background", "Foreground", "Orphan"};
    json::object body{{"apiVersion", "v1"},
                      {"kind", "DeleteOptions"},
                      {"propagationPolicy", kPolicies[static_cast<std::size_t>(del.propagation)]}};
    if (del.grace_period_seconds) body["gracePeriodSeconds"] = *del.grace_period_seconds;
    if (json::object held = Preconditions(effect_); !held.empty()) body["preconditions"] = std::move(held);
    return Sent("DELETE", ObjectPath(del.target, version_), kJson, body);
  }

  RestRequest operator()(const drive::Evict& evict) const {
    json::object body{
        {"apiVersion", "policy/v1"},
        {"kind", "Eviction"},
        {"metadata", json::object{{"name", evict.pod.name}, {"namespace", evict.pod.namespace_}}}};
    if (json::object held = Preconditions(effect_); !held.empty())
      body["deleteOptions"] = json::object{{"preconditions", std::move(held)}};
    return Sent("POST", ObjectPath(evict.pod, version_) + "/eviction" + manager_, kJson, body);
  }

  // Events live in the namespace of what they are about; those of nodes in "default", as kubelets do it. The
  // name is the same for the same words about the same object at the same time: a repetition is a conflict,
  // not a second one.
  RestRequest operator()(const drive::Note& note) const {
    const std::string space =
        note.regarding.namespace_.empty() ? std::string(kDefaultNamespace) : note.regarding.namespace_;
    const std::string when = FormatRfc3339(now_);
    const std::uint64_t mark =
        StableHasher().Add(note.regarding_uid).Add(note.reason).Add(note.message).Add(when).Digest();
    const kube::KindInfo& info = kube::Info(note.regarding.kind);
    json::object regarding{{"kind", info.name},
                           {"apiVersion", kube::ApiVersion(note.regarding.kind)},
                           {"namespace", note.regarding.namespace_},
                           {"name", note.regarding.name},
                           {"uid", note.regarding_uid}};
    const json::object body{
        {"apiVersion", "v1"},
        {"kind", "Event"},
        {"metadata",
         json::object{{"name", fmt::format("{}.{:016x}", note.regarding.name.substr(0, kMostOfName), mark)},
                      {"namespace", space}}},
        {"involvedObject", std::move(regarding)},
        {"type", note.warning ? "Warning" : "Normal"},
        {"reason", note.reason},
        {"message", note.message},
        {"firstTimestamp", when},
        {"lastTimestamp", when},
        {"count", 1},
        {"source", json::object{{"component", user_}}},
        {"reportingComponent", user_},
        {"reportingInstance", user_}};
    return Sent("POST", CollectionPath(kube::Kind::kEvent, version_, space) + manager_, kJson, body);
  }

 private:
  static RestRequest Sent(std::string method, std::string path, std::string_view type,
                          const json::object& body) {
    return {std::move(method), std::move(path), std::string(type), json::serialize(body)};
  }

  RestRequest Patched(const std::string& path, std::string_view type, json::object merge) const {
    PutPreconditions(effect_, merge);
    return Sent("PATCH", path + manager_, type, merge);
  }

  std::string manager_;  // "?fieldManager=cadre-scheduler"
  std::string_view user_;
  const drive::Effect& effect_;
  std::string_view version_;
  Time now_;
};

struct KindOfWhat {
  kube::Kind operator()(const drive::Bind& what) const { return what.pod.kind; }
  kube::Kind operator()(const drive::Create& what) const { return what.kind; }
  kube::Kind operator()(const drive::Patch& what) const { return what.target.kind; }
  kube::Kind operator()(const drive::PatchStatus& what) const { return what.target.kind; }
  kube::Kind operator()(const drive::Delete& what) const { return what.target.kind; }
  kube::Kind operator()(const drive::Evict& what) const { return what.pod.kind; }
  kube::Kind operator()(const drive::Note&) const { return kube::Kind::kEvent; }
};

// A status that is none of these is judged by its hundred.
struct Meaning {
  int status;
  Outcome outcome;
};
constexpr std::array<Meaning, 8> kMeanings = {{
    {401, Outcome::kRetryable},  // a token that has just been renewed
    {404, Outcome::kGone},
    {408, Outcome::kRetryable},
    {409, Outcome::kConflict},
    {410, Outcome::kGone},
    {429, Outcome::kRetryable},
    {502, Outcome::kUnknown},  // something between us and the API server gave up on it
    {504, Outcome::kUnknown},  // the API server did: it may have been done all the same
}};

Outcome OutcomeOf(int status) {
  const auto found = std::ranges::find(kMeanings, status, &Meaning::status);
  if (found != kMeanings.end()) return found->outcome;
  if (status >= 200 && status < 300) return Outcome::kDone;
  return status >= 500 ? Outcome::kRetryable : Outcome::kRejected;
}

Outcome OutcomeOf(const net::Failure& failure) {
  if (failure.kind == net::FailureKind::kCancelled) return Outcome::kNotSent;
  return failure.sent ? Outcome::kUnknown : Outcome::kRetryable;
}

std::optional<kube::Status> StatusIn(std::string_view body) {
  boost::system::error_code error;
  const json::value value = json::parse(body, error);
  if (error) return std::nullopt;
  Result<kube::Status> status = kube::DecodeStatus(value);
  if (!status) return std::nullopt;
  return *std::move(status);
}

// A precondition on the UID that does not hold is a conflict for a binding and a deletion, but in a patch the
// API server sees a change of a field that cannot change.
bool IsFailedUid(const drive::Effect& effect, const kube::Status& status) {
  return !effect.uid.empty() && status.code == 422 &&
         std::ranges::any_of(status.causes,
                             [](const kube::StatusCause& cause) { return cause.field == "metadata.uid"; });
}

}  // namespace

std::string CollectionPath(kube::Kind kind, std::string_view version, std::string_view namespace_) {
  const kube::KindInfo& info = kube::Info(kind);
  std::string path =
      info.group.empty() ? fmt::format("/api/{}", version) : fmt::format("/apis/{}/{}", info.group, version);
  if (info.namespaced && !namespace_.empty()) path += "/namespaces/" + EscapePathSegment(namespace_);
  return fmt::format("{}/{}", path, info.plural);
}

RestRequest ListPage(kube::Kind kind, std::string_view version, std::int64_t limit, std::string_view after) {
  const std::string count = fmt::to_string(limit);
  std::vector<std::pair<std::string_view, std::string_view>> query;
  if (limit > 0) query.emplace_back("limit", count);
  if (!after.empty()) query.emplace_back("continue", after);
  return {"GET", CollectionPath(kind, version) + QueryText(query)};
}

RestRequest WatchFrom(kube::Kind kind, std::string_view version, std::uint64_t from, Duration for_at_most) {
  const std::string position = fmt::to_string(from);
  const std::string seconds = fmt::to_string(std::max<std::int64_t>(1, for_at_most.count() / 1000));
  return {"GET", CollectionPath(kind, version) + QueryText({{"watch", "true"},
                                                            {"allowWatchBookmarks", "true"},
                                                            {"resourceVersion", position},
                                                            {"timeoutSeconds", seconds}})};
}

RestRequest WriteOf(std::string_view user, const drive::Effect& effect, std::string_view version, Time now) {
  return std::visit(Writer(user, effect, version, now), effect.what);
}

kube::Kind KindOf(const drive::Effect& effect) {
  return std::visit(KindOfWhat{}, effect.what);
}

drive::WriteResult ResultOf(const drive::Effect& effect, const net::RequestEnd& end) {
  drive::WriteResult result;
  if (!end) {
    result.outcome = OutcomeOf(end.error());
    result.message = end.error().message;
    return result;
  }
  result.outcome = OutcomeOf(end->status);
  if (result.outcome == Outcome::kDone) {
    boost::system::error_code error;
    json::value body = json::parse(end->body, error);
    if (error || FindString(body, {"kind"}) == "Status") return result;
    if (Result<kube::Object> object = kube::Decode(std::move(body))) result.object = *std::move(object);
    return result;
  }
  result.message = Words(end->status, end->body);
  const std::optional<kube::Status> status = StatusIn(end->body);
  if (status && IsFailedUid(effect, *status)) result.outcome = Outcome::kConflict;
  if (result.outcome != Outcome::kRetryable) return result;
  result.retry_after =
      net::RetryAfter(end->headers)
          .value_or(std::chrono::seconds(status ? std::max(0, status->retry_after_seconds) : 0));
  return result;
}

std::string Words(int status, std::string_view body) {
  constexpr std::size_t kMost = 500;
  if (const std::optional<kube::Status> said = StatusIn(body); said && !said->message.empty())
    return fmt::format("{} {}: {}", status, said->reason, said->message);
  return body.empty() ? fmt::format("{}", status)
                      : fmt::format("{}: {}", status, ToValidUtf8(body.substr(0, kMost)));
}

}  // namespace cadre::live

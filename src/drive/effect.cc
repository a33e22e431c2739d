#include "drive/effect.h"

#include <fmt/format.h>

#include "base/json.h"

namespace cadre::drive {

namespace {

std::string Name(const Target& target) {
  if (target.namespace_.empty()) return target.name;
  return fmt::format("{}/{}", target.namespace_, target.name);
}

std::string KindAndName(const Target& target) {
  return fmt::format("{} {}", kube::Info(target.kind).name, Name(target));
}

// The name that a Create asks for; "web-*" when the API server is to make one from generateName.
std::string NameInBody(const json::object& body) {
  const json::value* meta = body.if_contains("metadata");
  if (meta == nullptr || !meta->is_object()) return "?";
  for (const auto& [field, suffix] : {std::pair{"name", ""}, std::pair{"generateName", "*"}}) {
    const json::value* name = meta->get_object().if_contains(field);
    if (name != nullptr && name->is_string() && !name->get_string().empty()) {
      return fmt::format("{}{}", std::string_view(name->get_string()), suffix);
    }
  }
  return "?";
}

std::string_view ToString(Propagation propagation) {
  switch (propagation) {
    case Propagation::kBackground:
      return "background";
    case Propagation::kForeground:
      return "foreground";
    case Propagation::kOrphan:
      return "orphan";
  }
  return "?";
}

struct Describe {
  std::string operator()(const Bind& bind) const {
    return fmt::format("bind {} -> {}", Name(bind.pod), bind.node);
  }
  std::string operator()(const Create& create) const {
    return fmt::format("create {}", KindAndName({create.kind, create.namespace_, NameInBody(create.body)}));
  }
  std::string operator()(const Patch& patch) const {
    return fmt::format("patch {} {}", KindAndName(patch.target), json::serialize(patch.merge));
  }
  std::string operator()(const PatchStatus& patch) const {
    return fmt::format("patch status of {} {}", KindAndName(patch.target), json::serialize(patch.merge));
  }
  std::string operator()(const Delete& del) const {
    std::string text = fmt::format("delete {} {}", KindAndName(del.target), ToString(del.propagation));
    if (del.grace_period_seconds) text += fmt::format(" grace {} s", *del.grace_period_seconds);
    return text;
  }
  std::string operator()(const Evict& evict) const { return fmt::format("evict {}", Name(evict.pod)); }
  std::string operator()(const Note& note) const {
    return fmt::format("note {} {} {}: {}", note.warning ? "warning" : "normal", KindAndName(note.regarding),
                       note.reason, note.message);
  }
};

}  // namespace

std::string_view ToString(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone:
      return "done";
    case Outcome::kConflict:
      return "conflict";
    case Outcome::kGone:
      return "gone";
    case Outcome::kRejected:
      return "rejected";
    case Outcome::kRetryable:
      return "retryable";
    case Outcome::kUnknown:
      return "unknown";
    case Outcome::kNotSent:
      return "not sent";
  }
  return "?";
}

std::string ToString(const Effect& effect) {
  std::string text = std::visit(Describe{}, effect.what);
  if (!effect.uid.empty()) text += fmt::format(" if uid {}", effect.uid);
  if (effect.resource_version != 0) text += fmt::format(" if version {}", effect.resource_version);
  if (effect.after) text += fmt::format(" after #{}", static_cast<std::uint64_t>(*effect.after));
  return text;
}

}  // namespace cadre::drive

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "app/scenario_parser.h"
#include "base/text.h"
#include "kube/jobset.h"

namespace cadre::app {

namespace {

constexpr std::string_view kRefForm = "an object as Kind/name, Kind/namespace/name or Job/name[index]";

// Kinds of this name, the one that is most likely meant first: two kinds are called PodGroup.
std::vector<kube::Kind> KindsNamed(std::string_view name) {
  std::vector<kube::Kind> kinds;
  for (const kube::KindInfo& info : kube::AllKinds()) {
    if (info.name == name) kinds.insert(kinds.begin(), info.kind);
  }
  return kinds;
}

// Takes "[2]" off the end of `text`. None when there is no such ending, or nothing sensible in it.
std::optional<std::int32_t> TakeIndex(std::string_view& text) {
  const std::size_t open = text.rfind('[');
  if (open == std::string_view::npos || !text.ends_with(']')) return std::nullopt;
  const std::string_view digits = text.substr(open + 1, text.size() - open - 2);
  std::int32_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc{} || end != digits.data() + digits.size() || index < 0) return std::nullopt;
  text = text.substr(0, open);
  return index;
}

}  // namespace

std::string ToString(const ObjectRef& ref) {
  std::string text = fmt::format("{} ", kube::Info(ref.kind).name);
  if (!ref.namespace_.empty()) text += ref.namespace_ + "/";
  text += ref.name;
  if (ref.index) text += fmt::format("[{}]", *ref.index);
  return text;
}

ObjectRef RefOf(const kube::Object& object) {
  const kube::ObjectMeta& meta = object.Meta();
  const bool namespaced = kube::Info(object.kind).namespaced;
  return {.kind = object.kind,
          .namespace_ = !namespaced               ? ""
                        : meta.namespace_.empty() ? "default"
                                                  : meta.namespace_,
          .name = meta.name,
          .index = {}};
}

ObjectRef NodeRef(std::string name) {
  return {.kind = kube::Kind::kNode, .namespace_ = {}, .name = std::move(name), .index = {}};
}

void ScenarioNames::AddDocument(const kube::Object& object) {
  documents_.insert_or_assign(RefOf(object), object);
}

void ScenarioNames::AddMade(const kube::Object& object) {
  const ObjectRef ref = RefOf(object);
  made_.push_back(ref);
  if (object.kind != kube::Kind::kJobSet) return;
  for (const kube::ReplicatedJob& role : object.As<kube::JobSet>().spec.replicated_jobs) {
    for (std::int32_t i = 0; i < role.replicas; ++i)
      made_.push_back(
          {kube::Kind::kJob, ref.namespace_, fmt::format("{}-{}-{}", ref.name, role.name, i), {}});
  }
}

const kube::Object* ScenarioNames::FindDocument(const ObjectRef& ref) const {
  const auto found = documents_.find(ref);
  return found == documents_.end() ? nullptr : &found->second;
}

Result<ObjectRef> ScenarioNames::Ref(const Field& field) const {
  CADRE_TRY(const std::string text, field.Text());
  std::string_view rest = text;
  ObjectRef ref;
  ref.index = TakeIndex(rest);
  const std::vector<std::string_view> parts = Split(rest, '/');
  if (parts.size() < 2 || parts.size() > 3 || parts.back().empty()) return field.Expected(kRefForm);
  const std::vector<kube::Kind> kinds = KindsNamed(parts.front());
  if (kinds.empty()) return field.Complain(fmt::format("there is no kind \"{}\"", parts.front()));
  ref.name = parts.back();
  for (const kube::Kind kind : kinds) {
    ref.kind = kind;
    ref.namespace_ = !kube::Info(kind).namespaced ? ""
                     : parts.size() == 3          ? std::string(parts[1])
                                                  : "default";
    if (FindDocument(ref) != nullptr) return ref;
  }
  return ref;
}

Result<std::vector<ObjectRef>> ScenarioNames::Refs(const Field& field) const {
  std::vector<ObjectRef> refs;
  for (const Field& item : field.Items()) {
    CADRE_TRY(ObjectRef ref, Ref(item));
    if (!ref.name.ends_with('*')) {
      refs.push_back(std::move(ref));
      continue;
    }
    const std::string_view prefix = std::string_view(ref.name).substr(0, ref.name.size() - 1);
    const std::size_t before = refs.size();
    std::ranges::copy_if(made_, std::back_inserter(refs), [&](const ObjectRef& made) {
      return made.kind == ref.kind && made.namespace_ == ref.namespace_ && made.name.starts_with(prefix);
    });
    if (refs.size() == before)
      return item.Complain(fmt::format("the scenario makes no {} like this", ToString(ref)));
    for (std::size_t i = before; i < refs.size(); ++i)
      refs[i].index = ref.index;
  }
  return refs;
}

}  // namespace cadre::app

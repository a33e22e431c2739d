#include "app/mirror.h"

#include <fmt/format.h>

#include "kube/pod.h"

namespace cadre::app {
namespace {

constexpr std::array kKinds = {
    kube::Kind::kNode,
    kube::Kind::kPod,
    kube::Kind::kJob,
    kube::Kind::kPriorityClass,
    kube::Kind::kStorageClass,
    kube::Kind::kPersistentVolume,
    kube::Kind::kPodGroup,
    kube::Kind::kPersistentVolumeClaim,
    kube::Kind::kJobSet,
    kube::Kind::kSchedulerPluginsPodGroup,
    kube::Kind::kLeaderWorkerSet,
};
// The API server makes these itself.
constexpr std::string_view kSystemClasses = "system-";

std::string BindKey(std::string_view namespace_, std::string_view pod, std::string_view node) {
  return fmt::format("{}/{} {}", namespace_, pod, node);
}

const std::string& NodeOf(const kube::Object& pod) {
  return pod.As<kube::Pod>().spec.node_name;
}

}  // namespace

std::span<const kube::Kind> Mirror::Kinds() const {
  return kKinds;
}

bool Mirror::IsComplete() const {
  return listed_ >= kKinds.size() && held_.empty();
}

std::size_t Mirror::Count() const {
  std::size_t count = 0;
  for (const auto& [kind, objects] : objects_) {
    for (const auto& [place, object] : objects) {
      const bool system = kind == kube::Kind::kPriorityClass && place.second.starts_with(kSystemClasses);
      count += system ? 0 : 1;
    }
  }
  return count;
}

void Mirror::NoteBind(const drive::Bind& bind, std::string_view user) {
  binders_[BindKey(bind.pod.namespace_, bind.pod.name, bind.node)] = user;
}

drive::StepResult Mirror::Step(Time now, std::span<const drive::Event> events) {
  for (const drive::Event& event : events) {
    if (const auto* changed = std::get_if<drive::Changed>(&event); changed != nullptr)
      held_.emplace(changed->object.Meta().resource_version, std::pair(now + held_back_, *changed));
    if (std::holds_alternative<drive::Listed>(event)) ++listed_;
  }
  // What is due takes everything before it along.
  auto end = held_.begin();
  std::optional<Time> wake;
  for (auto held = held_.begin(); held != held_.end(); ++held) {
    if (held->second.first <= now)
      end = std::next(held);
    else
      wake = wake ? std::min(*wake, held->second.first) : held->second.first;
  }
  if (end == held_.begin()) return {.effects = {}, .wake = wake};
  while (held_.begin() != end) {
    drive::Changed changed = std::move(held_.begin()->second.second);
    held_.erase(held_.begin());
    HandOn(now, std::move(changed));
  }
  on_change_();
  return {.effects = {}, .wake = wake};
}

void Mirror::HandOn(Time now, drive::Changed changed) {
  const kube::ObjectMeta& meta = changed.object.Meta();
  std::map<Place, kube::Object>& objects = objects_[changed.object.kind];
  const Place place(meta.namespace_, meta.name);
  const auto found = objects.find(place);
  std::optional<kube::Object> before;
  if (found != objects.end()) before = found->second;
  if (changed.deleted) {
    // Its successor under the same name is not it.
    if (!before || before->Meta().uid != meta.uid) return;
    objects.erase(found);
    return Tell(now, &*before, nullptr);
  }
  if (before && before->Meta().uid != meta.uid) {
    objects.erase(found);
    Tell(now, &*before, nullptr);
    before.reset();
  }
  const kube::Object& after = objects.insert_or_assign(place, std::move(changed.object)).first->second;
  Tell(now, before ? &*before : nullptr, &after);
}

void Mirror::Tell(Time now, const kube::Object* before, const kube::Object* after) {
  const drive::Effect effect = EffectOf(before, after);
  std::string_view user = kOthers;
  if (const auto* bind = std::get_if<drive::Bind>(&effect.what); bind != nullptr) {
    const auto noted = binders_.find(BindKey(bind->pod.namespace_, bind->pod.name, bind->node));
    if (noted != binders_.end()) user = noted->second;
  }
  const drive::WriteRecord record{now, user, effect, before, after};
  for (const Observer& observer : observers_)
    observer(record);
}

// A pod that has a node now and had none was bound; of everything else it does not matter what it was.
drive::Effect Mirror::EffectOf(const kube::Object* before, const kube::Object* after) const {
  const kube::ObjectMeta& meta = (after != nullptr ? after : before)->Meta();
  drive::Target target{(after != nullptr ? after : before)->kind, meta.namespace_, meta.name};
  drive::Effect effect;
  const bool bound = before != nullptr && after != nullptr && after->kind == kube::Kind::kPod &&
                     NodeOf(*before).empty() && !NodeOf(*after).empty();
  if (bound)
    effect.what = drive::Bind{std::move(target), NodeOf(*after), {}};
  else
    effect.what = drive::Patch{std::move(target), {}};
  return effect;
}

const kube::Object* Mirror::Find(kube::Kind kind, std::string_view namespace_, std::string_view name) const {
  const auto objects = objects_.find(kind);
  if (objects == objects_.end()) return nullptr;
  const auto found = objects->second.find(Place(namespace_, name));
  return found == objects->second.end() ? nullptr : &found->second;
}

std::vector<kube::Object> Mirror::All(kube::Kind kind) const {
  std::vector<kube::Object> all;
  if (const auto objects = objects_.find(kind); objects != objects_.end()) {
    for (const auto& [place, object] : objects->second)
      all.push_back(object);
  }
  return all;
}

}  // namespace cadre::app

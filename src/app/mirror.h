// Mirror: what a real API server holds, kept up to date by watches, and each change of it as the write that
// it must have been.
//
// Watches of different kinds do not tell in which order things happened. Resource versions do, as long as one
// etcd keeps all kinds: a change is held back for a moment and handed on in their order. Who wrote it is
// known of binds that were noted when they were sent, and of nothing else. Thread rule: the event loop's
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "drive/machine.h"
#include "drive/observed_api.h"

namespace cadre::app {

class Mirror final : public drive::Machine, public drive::ObservedApi {
 public:
  static constexpr std::string_view kOthers = "others";  // the user of writes whose writer is not known

  // `on_change` is called when a batch of changes has been handed on.
  Mirror(Duration held_back, std::function<void()> on_change)
      : held_back_(held_back), on_change_(std::move(on_change)) {}

  std::string_view Name() const override { return "mirror"; }
  std::span<const kube::Kind> Kinds() const override;
  drive::StepResult Step(Time now, std::span<const drive::Event> events) override;

  // Every kind has been listed, and everything listed has been handed on.
  bool IsComplete() const;
  // What it holds of the kinds that scenarios make: nothing is left of a scenario that is over.
  std::size_t Count() const;
  // This bind is about to be sent.
  void NoteBind(const drive::Bind& bind, std::string_view user);

  const kube::Object* Find(kube::Kind kind, std::string_view namespace_,
                           std::string_view name) const override;
  std::vector<kube::Object> All(kube::Kind kind) const override;
  void AddWriteObserver(Observer observer) override { observers_.push_back(std::move(observer)); }
  // The run that looked on is over: no observer is called any more.
  void DropObservers() { observers_.clear(); }

 private:
  using Place = std::pair<std::string, std::string>;  // namespace, name

  void HandOn(Time now, drive::Changed changed);
  void Tell(Time now, const kube::Object* before, const kube::Object* after);
  drive::Effect EffectOf(const kube::Object* before, const kube::Object* after) const;

  const Duration held_back_;
  const std::function<void()> on_change_;
  std::multimap<std::uint64_t, std::pair<Time, drive::Changed>> held_;  // by resource version
  std::map<kube::Kind, std::map<Place, kube::Object>> objects_;
  std::map<std::string, std::string> binders_;  // "namespace/pod node" -> user
  std::vector<Observer> observers_;
  std::size_t listed_ = 0;
};

}  // namespace cadre::app

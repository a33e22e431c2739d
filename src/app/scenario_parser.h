// Inside of the scenario parser: what its parts share. Users of scenarios include scenario.h.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/scenario.h"
#include "app/scenario_field.h"
#include "base/result.h"

namespace cadre::app {

// The manifests of a scenario's file by kind and name, and the objects it can speak of.
class ScenarioNames {
 public:
  void AddDocument(const kube::Object& object);
  // An object that the scenario makes, and what will come of it (child Jobs of a JobSet).
  void AddMade(const kube::Object& object);

  const kube::Object* FindDocument(const ObjectRef& ref) const;

  // "Job/train", "Job/team-a/train", "Job/train[2]", "Node/n-0".
  Result<ObjectRef> Ref(const Field& field) const;
  // The same, and "Job/train-*" for all that the scenario makes.
  Result<std::vector<ObjectRef>> Refs(const Field& field) const;

 private:
  std::map<ObjectRef, kube::Object> documents_;
  std::vector<ObjectRef> made_;
};

ObjectRef RefOf(const kube::Object& object);
ObjectRef NodeRef(std::string name);

// One entry of `steps`; `copies` make several of it.
Result<std::vector<Step>> ReadStep(const Field& step, const ScenarioNames& names);

// One entry of `expect` or `always`; a subject with a star makes several of it.
Result<std::vector<Expectation>> ReadExpectation(const Field& entry, const ScenarioNames& names, bool always);

}  // namespace cadre::app

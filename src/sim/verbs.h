// Verbs: what the API server does with one write: preconditions, admission, the rules of each verb, one or
// two new revisions in the store. Messages have the form of the real ones (measured on Kubernetes 1.36).
//
// Not done by the API server and so not here either: cascading deletion (the garbage collector), ending pods
// (kubelets). Thread rule: one thread.
#pragma once

#include <expected>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "drive/api.h"
#include "drive/observed_api.h"
#include "sim/admission.h"
#include "sim/document.h"
#include "sim/identity.h"
#include "sim/store.h"

namespace cadre::sim {

using drive::WriteRecord;

class Verbs {
 public:
  using Observer = drive::ObservedApi::Observer;

  // The store is borrowed and must outlive it.
  explicit Verbs(Store& store) : store_(store), admission_(store) {}

  void AddObserver(Observer observer) { observers_.push_back(std::move(observer)); }

  // REQUIRES: the effect is no Note.
  drive::WriteResult Apply(Time now, std::string_view user, const drive::Effect& effect);

  // Puts an object in as it is: status, UID, times kept, made where absent. An error names the object.
  Result<void> Load(Time now, const kube::Object& object);

  const Admission& admission() const { return admission_; }

 private:
  // What a verb made of an object. `answer` is what the caller gets back; none for subresources that answer a
  // Status.
  struct Done {
    std::optional<kube::Object> before;
    std::optional<kube::Object> after;
    std::optional<kube::Object> answer;
  };
  struct Refusal {
    drive::Outcome outcome;
    std::string message;
  };
  using Verdict = std::expected<Done, Refusal>;

  Verdict Run(Time now, const drive::Effect& effect);
  Verdict DoBind(Time now, const drive::Effect& effect, const drive::Bind& bind);
  Verdict DoCreate(Time now, const drive::Create& create);
  Verdict DoPatch(Time now, const drive::Effect& effect, const drive::Patch& patch);
  Verdict DoPatchStatus(Time now, const drive::Effect& effect, const drive::PatchStatus& patch);
  Verdict DoDelete(Time now, const drive::Effect& effect, const drive::Delete& del);
  Verdict DoEvict(Time now, const drive::Effect& effect, const drive::Evict& evict);

  Verdict Update(Time now, const kube::Object& before, Document draft);
  Verdict CreateAdmitted(Time now, kube::Kind kind, std::string_view namespace_, Document body);
  Verdict CreateMadeNamespace(Time now, const kube::Object& existing, const json::object& body);
  Verdict DeleteObject(Time now, const kube::Object& before, const drive::Delete& del);
  Verdict DeleteGracefully(Time now, const kube::Object& before, Document draft, std::int64_t grace);
  Verdict DeleteNow(Time now, const kube::Object& before, Document draft);
  static std::optional<std::string> FailedDeletePrecondition(const kube::Object& object,
                                                             const drive::Effect& effect);

  std::expected<kube::Object, Refusal> Save(Time now, kube::Kind kind, Document draft);
  std::expected<const kube::Object*, Refusal> FindTarget(const drive::Target& target) const;
  bool Name(kube::Kind kind, std::string_view namespace_, json::object& metadata);
  bool MakeNamespace(Time now, std::string_view name);

  Store& store_;
  Admission admission_;
  Identities identities_;
  std::set<std::string, std::less<>>
      made_namespaces_;  // appeared on their own; a manifest may still create them
  std::vector<Observer> observers_;
};

}  // namespace cadre::sim

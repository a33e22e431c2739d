#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "app/scenario_parser.h"
#include "kube/decode.h"

namespace cadre::app {

namespace {

using Acts = std::vector<Act>;

// An act in the words of the file: its own key, the further keys it takes, and what it becomes.
struct ActRule {
  std::string_view key;
  std::vector<std::string_view> further;
  Result<Acts> (*read)(const Field& step, const Field& value, const ScenarioNames& names);
};

Act Patch(ObjectRef target, json::object merge, bool status = false) {
  return PatchAct{std::move(target), std::move(merge), status};
}

Act PatchSpec(ObjectRef target, json::object spec) {
  return Patch(std::move(target), {{"spec", std::move(spec)}});
}

Act PatchStatus(ObjectRef target, json::object status) {
  return Patch(std::move(target), {{"status", std::move(status)}}, true);
}

Result<Acts> ReadApply(const Field&, const Field& value, const ScenarioNames& names) {
  Acts acts;
  for (const Field& item : value.Items()) {
    CADRE_TRY(const ObjectRef ref, names.Ref(item));
    const kube::Object* document = names.FindDocument(ref);
    if (document == nullptr)
      return item.Complain(fmt::format("the file has no manifest of {}", ToString(ref)));
    acts.push_back(CreateAct{*document});
  }
  return acts;
}

Result<drive::Propagation> ReadPropagation(const Field& field) {
  static const std::map<std::string, drive::Propagation, std::less<>> kNames = {
      {"background", drive::Propagation::kBackground},
      {"foreground", drive::Propagation::kForeground},
      {"orphan", drive::Propagation::kOrphan}};
  CADRE_TRY(const std::string text, field.Text());
  const auto found = kNames.find(text);
  if (found == kNames.end()) return field.Expected("background, foreground or orphan");
  return found->second;
}

Result<Acts> ReadDelete(const Field& step, const Field& value, const ScenarioNames& names) {
  DeleteAct act;
  if (const std::optional<Field> field = step.Get("propagation"); field) {
    CADRE_TRY(act.propagation, ReadPropagation(*field));
  }
  if (const std::optional<Field> field = step.Get("grace"); field) {
    CADRE_TRY(const Duration grace, field->Length());
    act.grace_s = std::chrono::duration_cast<std::chrono::seconds>(grace).count();
  }
  Acts acts;
  for (const Field& item : value.Items()) {
    CADRE_TRY(act.target, names.Ref(item));
    acts.push_back(act);
  }
  return acts;
}

Result<Acts> ReadEvict(const Field&, const Field& value, const ScenarioNames& names) {
  CADRE_TRY(ObjectRef pod, names.Ref(value));
  return Acts{EvictAct{std::move(pod)}};
}

Result<Acts> ReadPatchOf(const Field& step, const Field& value, const ScenarioNames& names, bool status) {
  CADRE_TRY(ObjectRef target, names.Ref(value));
  CADRE_TRY(const Field with, step.Need("with"));
  CADRE_TRY(json::object merge, with.Map());
  if (status && !merge.contains("status")) return with.Expected("a map with the key status");
  return Acts{Patch(std::move(target), std::move(merge), status)};
}

Result<Acts> ReadPatch(const Field& step, const Field& value, const ScenarioNames& names) {
  return ReadPatchOf(step, value, names, false);
}

Result<Acts> ReadPatchStatus(const Field& step, const Field& value, const ScenarioNames& names) {
  return ReadPatchOf(step, value, names, true);
}

template <bool kSuspend>
Result<Acts> ReadSuspend(const Field&, const Field& value, const ScenarioNames& names) {
  CADRE_TRY(ObjectRef target, names.Ref(value));
  return Acts{PatchSpec(std::move(target), {{"suspend", kSuspend}})};
}

// The acts on nodes take names, one or a list.
Result<Acts> ForEachNode(const Field& value, const std::function<Act(ObjectRef)>& act) {
  Acts acts;
  for (const Field& item : value.Items()) {
    CADRE_TRY(std::string name, item.Text());
    acts.push_back(act(NodeRef(std::move(name))));
  }
  return acts;
}

template <bool kCordoned>
Result<Acts> ReadCordon(const Field&, const Field& value, const ScenarioNames&) {
  return ForEachNode(
      value, [](ObjectRef node) { return PatchSpec(std::move(node), {{"unschedulable", kCordoned}}); });
}

template <bool kReady>
Result<Acts> ReadReady(const Field&, const Field& value, const ScenarioNames&) {
  return ForEachNode(value, [](ObjectRef node) {
    json::object ready = {{"type", "Ready"}, {"status", kReady ? "True" : "False"}};
    return PatchStatus(std::move(node), {{"conditions", json::array{std::move(ready)}}});
  });
}

Result<Acts> ReadTaint(const Field& step, const Field& value, const ScenarioNames&) {
  CADRE_TRY(const Field with, step.Need("with"));
  const json::value& taints = with.value();
  return ForEachNode(value, [&](ObjectRef node) { return PatchSpec(std::move(node), {{"taints", taints}}); });
}

Result<Acts> ReadRemoveNode(const Field&, const Field& value, const ScenarioNames&) {
  return ForEachNode(
      value, [](ObjectRef node) { return DeleteAct{std::move(node), drive::Propagation::kBackground, {}}; });
}

Result<Acts> ReadSetAllocatable(const Field& step, const Field& value, const ScenarioNames&) {
  CADRE_TRY(const Field to, step.Need("to"));
  CADRE_TRY(const json::object amounts, to.Map());
  return ForEachNode(value, [&](ObjectRef node) {
    return PatchStatus(std::move(node), {{"allocatable", amounts}, {"capacity", amounts}});
  });
}

Result<Acts> ReadFailPod(const Field&, const Field& value, const ScenarioNames& names) {
  CADRE_TRY(ObjectRef pod, names.Ref(value));
  return Acts{
      PatchStatus(std::move(pod), {{"phase", "Failed"}, {"reason", "Error"}, {"message", "it failed"}})};
}

Result<Acts> ReadBind(const Field& step, const Field& value, const ScenarioNames& names) {
  CADRE_TRY(ObjectRef pod, names.Ref(value));
  CADRE_TRY(const Field to, step.Need("to"));
  CADRE_TRY(std::string node, to.Text());
  return Acts{BindAct{std::move(pod), std::move(node)}};
}

Result<Acts> ReadRestart(const Field&, const Field& value, const ScenarioNames&) {
  CADRE_TRY(const std::string which, value.Text());
  if (which == "scheduler") return Acts{RestartAct{Program::kScheduler}};
  if (which == "controllers") return Acts{RestartAct{Program::kControllers}};
  return value.Expected("scheduler or controllers");
}

Result<Acts> ReadRefuse(const Field&, const Field& value, const ScenarioNames& names) {
  static const std::map<std::string, drive::Outcome, std::less<>> kAnswers = {
      {"rejected", drive::Outcome::kRejected},
      {"conflict", drive::Outcome::kConflict},
      {"unavailable", drive::Outcome::kRetryable}};
  CADRE_TRY_VOID(value.Only({"to", "of", "times", "answer"}));
  RefuseAct act;
  if (const std::optional<Field> field = value.Get("to"); field) {
    CADRE_TRY(act.node, field->Text());
  }
  if (const std::optional<Field> field = value.Get("of"); field) {
    CADRE_TRY(act.of, names.Ref(*field));
  }
  if (const std::optional<Field> field = value.Get("times"); field) {
    CADRE_TRY(act.times, field->Number());
  }
  if (const std::optional<Field> field = value.Get("answer"); field) {
    CADRE_TRY(const std::string answer, field->Text());
    const auto found = kAnswers.find(answer);
    if (found == kAnswers.end()) return field->Expected("rejected, conflict or unavailable");
    act.outcome = found->second;
  }
  return Acts{std::move(act)};
}

const std::vector<ActRule>& ActRules() {
  static const std::vector<ActRule> kRules = {
      {"apply", {"copies", "every"}, ReadApply},
      {"delete", {"propagation", "grace", "copies", "every"}, ReadDelete},
      {"evict", {}, ReadEvict},
      {"patch", {"with"}, ReadPatch},
      {"patch-status", {"with"}, ReadPatchStatus},
      {"suspend", {}, ReadSuspend<true>},
      {"resume", {}, ReadSuspend<false>},
      {"cordon", {}, ReadCordon<true>},
      {"uncordon", {}, ReadCordon<false>},
      {"taint", {"with"}, ReadTaint},
      {"ready", {}, ReadReady<true>},
      {"not-ready", {}, ReadReady<false>},
      {"remove-node", {}, ReadRemoveNode},
      {"set-allocatable", {"to"}, ReadSetAllocatable},
      {"fail-pod", {}, ReadFailPod},
      {"bind", {"to"}, ReadBind},
      {"restart", {}, ReadRestart},
      {"refuse-binds", {}, ReadRefuse},
  };
  return kRules;
}

// The rule whose key the step has; a complaint when it has none or two.
Result<const ActRule*> RuleOf(const Field& step) {
  std::vector<std::string_view> known = {"at"};
  const ActRule* found = nullptr;
  CADRE_TRY_VOID(step.Map());
  for (const ActRule& rule : ActRules()) {
    known.push_back(rule.key);
    if (!step.Get(rule.key)) continue;
    if (found != nullptr)
      return step.Complain(fmt::format("has both {} and {}: one act per step", found->key, rule.key));
    found = &rule;
  }
  if (found == nullptr) {
    CADRE_TRY_VOID(step.Only(known));
    return step.Complain("says nothing to do");
  }
  std::vector<std::string_view> allowed = {"at", found->key};
  allowed.insert(allowed.end(), found->further.begin(), found->further.end());
  CADRE_TRY_VOID(step.Only(allowed));
  return found;
}

// The act for copy number `n`: what it is about is called <name>-<n>.
Result<Act> CopyOf(const Act& act, std::int64_t n) {
  if (const auto* create = std::get_if<CreateAct>(&act); create != nullptr) {
    json::value body = *create->object.raw;
    body.as_object()["metadata"].as_object()["name"] = fmt::format("{}-{}", create->object.Meta().name, n);
    CADRE_TRY(kube::Object object, kube::Decode(create->object.kind, std::move(body)));
    return Act(CreateAct{std::move(object)});
  }
  DeleteAct copy = std::get<DeleteAct>(act);
  copy.target.name += fmt::format("-{}", n);
  return Act(std::move(copy));
}

}  // namespace

Result<std::vector<Step>> ReadStep(const Field& step, const ScenarioNames& names) {
  CADRE_TRY(const ActRule* rule, RuleOf(step));
  CADRE_TRY(const Field at_field, step.Need("at"));
  CADRE_TRY(const Duration at, at_field.Length());
  CADRE_TRY(const Acts acts, rule->read(step, *step.Get(rule->key), names));
  std::int64_t copies = 0;
  Duration every{0};
  if (const std::optional<Field> field = step.Get("copies"); field) {
    CADRE_TRY(copies, field->Number());
    if (copies < 1) return field->Expected("a number above 0");
  }
  if (const std::optional<Field> field = step.Get("every"); field) {
    CADRE_TRY(every, field->Length());
  }
  const std::size_t line = step.Line();
  std::vector<Step> steps;
  for (const Act& act : acts) {
    if (copies == 0) steps.push_back({at, act, line});
    for (std::int64_t n = 0; n < copies; ++n) {
      Result<Act> copy = CopyOf(act, n);
      if (!copy) return step.Complain(copy.error().message);
      steps.push_back({at + n * every, *std::move(copy), line});
    }
  }
  return steps;
}

}  // namespace cadre::app

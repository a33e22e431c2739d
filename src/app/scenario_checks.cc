#include "app/scenario_checks.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/scheduler.h"
#include "kube/job.h"
#include "kube/jobset.h"
#include "kube/node.h"
#include "kube/pod.h"

namespace cadre::app {

namespace {

using Problem = std::optional<std::string>;

constexpr std::string_view kSchedulerUser = "cadre-scheduler";

Problem Judged(std::int64_t found, const Counts& wanted) {
  if (wanted.Holds(found)) return std::nullopt;
  return fmt::format("is {}, expected {}", found, wanted.Text());
}

// ---- pods of an object

template <class Predicate>
std::int64_t CountPods(const CheckContext& context, const Subject& of, Predicate predicate) {
  std::int64_t count = 0;
  for (const kube::Object& pod : context.world.PodsOf(std::get<ObjectRef>(of)))
    count += predicate(pod) ? 1 : 0;
  return count;
}

Problem Placed(const CheckContext& context, const Subject& of, const Check& check) {
  return Judged(CountPods(context, of, IsPlaced), check.counts);
}

Problem Waiting(const CheckContext& context, const Subject& of, const Check& check) {
  return Judged(CountPods(context, of,
                          [](const kube::Object& object) {
                            const auto& pod = object.As<kube::Pod>();
                            return !kube::IsTerminal(pod) && pod.spec.node_name.empty() &&
                                   !pod.metadata.deletion_timestamp;
                          }),
                check.counts);
}

Problem Running(const CheckContext& context, const Subject& of, const Check& check) {
  return Judged(CountPods(context, of,
                          [](const kube::Object& pod) {
                            return IsPlaced(pod) &&
                                   pod.As<kube::Pod>().status.phase == kube::PodPhase::kRunning;
                          }),
                check.counts);
}

Problem Terminating(const CheckContext& context, const Subject& of, const Check& check) {
  return Judged(CountPods(context, of,
                          [](const kube::Object& pod) { return pod.Meta().deletion_timestamp.has_value(); }),
                check.counts);
}

Problem Pods(const CheckContext& context, const Subject& of, const Check& check) {
  return Judged(CountPods(context, of, [](const kube::Object&) { return true; }), check.counts);
}

std::set<std::string> NodesOf(const CheckContext& context, const Subject& of) {
  std::set<std::string> nodes;
  for (const kube::Object& pod : context.world.PodsOf(std::get<ObjectRef>(of))) {
    if (IsPlaced(pod)) nodes.insert(pod.As<kube::Pod>().spec.node_name);
  }
  return nodes;
}

Problem Nodes(const CheckContext& context, const Subject& of, const Check& check) {
  const std::set<std::string> found = NodesOf(context, of);
  if (found == std::set(check.texts.begin(), check.texts.end())) return std::nullopt;
  return fmt::format("is [{}], expected [{}]", fmt::join(found, ", "), fmt::join(check.texts, ", "));
}

Problem NodesUsed(const CheckContext& context, const Subject& of, const Check& check) {
  return Judged(static_cast<std::int64_t>(NodesOf(context, of).size()), check.counts);
}

// "n-*" stands for every name that starts with "n-".
bool IsNamed(std::string_view name, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [name](std::string_view pattern) {
    if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
    return name == pattern;
  });
}

Problem NeverOn(const CheckContext& context, const Subject& of, const Check& check) {
  for (const BindRecord& bind : context.world.BindsOf(std::get<ObjectRef>(of))) {
    if (IsNamed(bind.node, check.texts))
      return fmt::format("a pod of it was bound to {} at {}", bind.node,
                         FormatDuration(bind.at - context.cluster.StartedAt()));
  }
  return std::nullopt;
}

Problem OnlyOn(const CheckContext& context, const Subject& of, const Check& check) {
  for (const BindRecord& bind : context.world.BindsOf(std::get<ObjectRef>(of))) {
    if (!IsNamed(bind.node, check.texts))
      return fmt::format("a pod of it was bound to {} at {}", bind.node,
                         FormatDuration(bind.at - context.cluster.StartedAt()));
  }
  return std::nullopt;
}

Problem AllInOne(const CheckContext& context, const Subject& of, const Check& check) {
  for (const std::string& key : check.texts) {
    std::set<std::string> values;
    for (const std::string& name : NodesOf(context, of)) {
      const kube::Object* node = context.world.api().Find(kube::Kind::kNode, "", name);
      if (node == nullptr) continue;  // gone under a pod that still runs
      const auto label = node->Meta().labels.find(key);
      if (label == node->Meta().labels.end()) return fmt::format("node {} has no label {}", name, key);
      values.insert(label->second);
    }
    if (values.size() > 1) return fmt::format("{} has the values {}", key, fmt::join(values, ", "));
  }
  return std::nullopt;
}

Problem Binds(const CheckContext& context, const Subject& of, const Check& check) {
  return Judged(static_cast<std::int64_t>(context.world.BindsOf(std::get<ObjectRef>(of)).size()),
                check.counts);
}

// Seconds from the start, cut off.
std::int64_t SecondsAt(const CheckContext& context, Time at) {
  return std::chrono::duration_cast<std::chrono::seconds>(at - context.cluster.StartedAt()).count();
}

// Where news takes its time, a bind may be seen that much after it was due.
Problem JudgedTime(const CheckContext& context, Time at, const Counts& counts) {
  Problem problem = Judged(SecondsAt(context, at), counts);
  for (Duration late = std::chrono::seconds(1); late <= context.cluster.Patience();
       late += std::chrono::seconds(1)) {
    if (counts.Holds(SecondsAt(context, at - late))) return std::nullopt;
  }
  return problem;
}

Problem FirstBind(const CheckContext& context, const Subject& of, const Check& check) {
  const std::vector<BindRecord>& binds = context.world.BindsOf(std::get<ObjectRef>(of));
  if (binds.empty()) return "no pod of it was ever bound";
  return JudgedTime(context, binds.front().at, check.counts);
}

Problem LastBind(const CheckContext& context, const Subject& of, const Check& check) {
  const std::vector<BindRecord>& binds = context.world.BindsOf(std::get<ObjectRef>(of));
  if (binds.empty()) return "no pod of it was ever bound";
  return JudgedTime(context, binds.back().at, check.counts);
}

Problem FirstBindBefore(const CheckContext& context, const Subject& of, const Check& check) {
  const std::vector<BindRecord>& mine = context.world.BindsOf(std::get<ObjectRef>(of));
  const std::vector<BindRecord>& others = context.world.BindsOf(*check.other);
  if (mine.empty()) return "no pod of it was ever bound";
  if (others.empty() || mine.front().at < others.front().at) return std::nullopt;
  return fmt::format("it was first bound at {}, {} at {}",
                     FormatDuration(mine.front().at - context.cluster.StartedAt()), ToString(*check.other),
                     FormatDuration(others.front().at - context.cluster.StartedAt()));
}

// ---- what the scheduler says of a group

// The groups that a reference means: by kind (both kinds of PodGroup are called so; after the dot they are
// told apart) and name, and for a Job that is no gang the groups of one that its pods are.
bool Means(const ObjectRef& ref, const model::GroupKey& key) {
  if (key.namespace_ != ref.namespace_) return false;
  const std::string_view kind = std::string_view(key.kind).substr(0, key.kind.find('.'));
  if (kind == kube::Info(ref.kind).name) return key.name == ref.name;
  return ref.kind == kube::Kind::kJob && kind == "Pod" && key.name.starts_with(ref.name + "-");
}

std::vector<core::GroupView> ViewsOf(const CheckContext& context, const Subject& of) {
  const auto& ref = std::get<ObjectRef>(of);
  std::vector<core::GroupView> views;
  for (core::GroupView& view : context.cluster.scheduler().Groups()) {
    if (Means(ref, view.key)) views.push_back(std::move(view));
  }
  return views;
}

std::string_view NameOf(const std::optional<match::No>& no) {
  if (!no) return "none";
  switch (*no) {
    case match::No::kNever:
      return "never";
    case match::No::kNotNow:
      return "not-now";
    case match::No::kConstraints:
      return "constraints";
    case match::No::kGaveUp:
      return "gave-up";
  }
  return "none";
}

Problem WhichNo(const CheckContext& context, const Subject& of, const Check& check) {
  std::vector<std::string_view> found;
  for (const core::GroupView& view : ViewsOf(context, of)) {
    found.push_back(NameOf(view.no));
    if (std::ranges::find(check.texts, found.back()) != check.texts.end()) return std::nullopt;
  }
  return fmt::format("is [{}], expected {}", fmt::join(found, ", "), fmt::join(check.texts, " or "));
}

Problem ReasonContains(const CheckContext& context, const Subject& of, const Check& check) {
  std::string all;
  for (const core::GroupView& view : ViewsOf(context, of))
    all += view.reason + "\n";
  for (const std::string& text : check.texts) {
    if (!all.contains(text)) return fmt::format("\"{}\" is not in the reason \"{}\"", text, all);
  }
  return std::nullopt;
}

Problem SchedulerCounts(const CheckContext& context, const Subject& of, const Check& check) {
  std::int64_t placed = 0;
  for (const core::GroupView& view : ViewsOf(context, of))
    placed += view.placed;
  return Judged(placed, check.counts);
}

// ---- any object

std::string_view StateOfPods(const std::vector<kube::Object>& pods) {
  if (std::ranges::any_of(pods, IsPlaced)) return "running";
  const auto phase_is = [](kube::PodPhase phase) {
    return [phase](const kube::Object& pod) { return pod.As<kube::Pod>().status.phase == phase; };
  };
  if (pods.empty() ||
      !std::ranges::all_of(pods, [](const auto& p) { return kube::IsTerminal(p.template As<kube::Pod>()); }))
    return "pending";
  return std::ranges::any_of(pods, phase_is(kube::PodPhase::kFailed)) ? "failed" : "finished";
}

std::string_view StateOf(const CheckContext& context, const ObjectRef& ref) {
  const std::vector<kube::Object> pods = context.world.PodsOf(ref);
  if (ref.index) return StateOfPods(pods);
  const kube::Object* object = context.world.Find(ref);
  if (object == nullptr) return "gone";
  if (ref.kind == kube::Kind::kJob) {
    const auto& job = object->As<kube::Job>();
    if (kube::FindTrue(job.status.conditions, "Complete") != nullptr) return "finished";
    if (kube::FindTrue(job.status.conditions, "Failed") != nullptr) return "failed";
    if (job.spec.suspend) return "suspended";
  } else if (ref.kind == kube::Kind::kJobSet) {
    const auto& jobset = object->As<kube::JobSet>();
    if (jobset.status.terminal_state == "Completed") return "finished";
    if (jobset.status.terminal_state == "Failed") return "failed";
    if (jobset.spec.suspend) return "suspended";
  } else {
    return StateOfPods(pods);
  }
  return std::ranges::any_of(pods, IsPlaced) ? "running" : "pending";
}

Problem State(const CheckContext& context, const Subject& of, const Check& check) {
  const std::string_view found = StateOf(context, std::get<ObjectRef>(of));
  if (std::ranges::find(check.texts, found) != check.texts.end()) return std::nullopt;
  return fmt::format("is {}, expected {}", found, fmt::join(check.texts, " or "));
}

Problem Has(const CheckContext& context, const Subject& of, const Check& check) {
  const auto& ref = std::get<ObjectRef>(of);
  const std::optional<kube::Object> pod = ref.index ? context.world.FindPod(ref) : std::nullopt;
  const kube::Object* object = ref.index ? (pod ? &*pod : nullptr) : context.world.Find(ref);
  if (object == nullptr) return "there is no such object";
  if (Contains(*object->raw, check.partial)) return std::nullopt;
  return fmt::format("{} is not in {}", json::serialize(check.partial), json::serialize(*object->raw));
}

Problem NodePods(const CheckContext& context, const Subject& of, const Check& check) {
  const auto& ref = std::get<ObjectRef>(of);
  std::int64_t count = 0;
  for (const kube::Object& pod : context.world.api().All(kube::Kind::kPod))
    count += IsPlaced(pod) && pod.As<kube::Pod>().spec.node_name == ref.name ? 1 : 0;
  return Judged(count, check.counts);
}

// ---- a process

Problem Writes(const CheckContext& context, const Subject& of, const Check& check) {
  const std::uint64_t writes = std::get<Program>(of) == Program::kScheduler
                                   ? context.cluster.scheduler_writes()
                                   : context.cluster.controller_writes();
  return Judged(static_cast<std::int64_t>(writes), check.counts);
}

Problem BindsAccepted(const CheckContext& context, const Subject&, const Check& check) {
  return Judged(static_cast<std::int64_t>(context.world.binds_by(kSchedulerUser)), check.counts);
}

Problem PodCreates(const CheckContext& context, const Subject&, const Check& check) {
  return Judged(static_cast<std::int64_t>(context.world.pod_creates()), check.counts);
}

Problem WaitingGroups(const CheckContext& context, const Subject&, const Check& check) {
  return Judged(std::ranges::count_if(
                    context.cluster.scheduler().Groups(),
                    [](const core::GroupView& view) { return view.state == core::GroupState::kWaiting; }),
                check.counts);
}

Problem StartedGroups(const CheckContext& context, const Subject&, const Check& check) {
  return Judged(std::ranges::count_if(
                    context.cluster.scheduler().Groups(),
                    [](const core::GroupView& view) { return view.state == core::GroupState::kStarted; }),
                check.counts);
}

constexpr CheckRule kRules[] = {
    {"placed", About::kPods, Wants::kCounts, Placed},
    {"waiting", About::kPods, Wants::kCounts, Waiting},
    {"running", About::kPods, Wants::kCounts, Running},
    {"terminating", About::kPods, Wants::kCounts, Terminating},
    {"pods", About::kPods, Wants::kCounts, Pods},
    {"nodes", About::kPods, Wants::kTexts, Nodes},
    {"nodes-used", About::kPods, Wants::kCounts, NodesUsed},
    {"never-on", About::kPods, Wants::kTexts, NeverOn},
    {"only-on", About::kPods, Wants::kTexts, OnlyOn},
    {"all-in-one", About::kPods, Wants::kTexts, AllInOne},
    {"binds", About::kPods, Wants::kCounts, Binds},
    {"first-bind", About::kPods, Wants::kCounts, FirstBind},
    {"last-bind", About::kPods, Wants::kCounts, LastBind},
    {"first-bind-before", About::kPods, Wants::kRef, FirstBindBefore},
    {"why-not", About::kPods, Wants::kTexts, WhichNo},
    {"reason-contains", About::kPods, Wants::kTexts, ReasonContains},
    {"scheduler-counts", About::kPods, Wants::kCounts, SchedulerCounts},
    {"state", About::kObject, Wants::kTexts, State},
    {"has", About::kObject, Wants::kPartial, Has},
    {"node-pods", About::kObject, Wants::kCounts, NodePods},
    {"writes", About::kProgram, Wants::kCounts, Writes},
    {"binds-accepted", About::kProgram, Wants::kCounts, BindsAccepted},
    {"pod-creates", About::kProgram, Wants::kCounts, PodCreates},
    {"waiting-groups", About::kProgram, Wants::kCounts, WaitingGroups},
    {"started-groups", About::kProgram, Wants::kCounts, StartedGroups},
};

std::string NameOf(const Subject& of) {
  if (const auto* ref = std::get_if<ObjectRef>(&of); ref != nullptr) return ToString(*ref);
  return std::get<Program>(of) == Program::kScheduler ? "the scheduler" : "the controllers";
}

}  // namespace

std::span<const CheckRule> CheckRules() {
  return kRules;
}

std::vector<std::string> Judge(const CheckContext& context, const Expectation& expectation) {
  std::vector<std::string> problems;
  for (const Check& check : expectation.checks) {
    const Problem problem = check.rule->problem(context, expectation.of, check);
    if (!problem) continue;
    problems.push_back(fmt::format("line {}: at {}, {}: {}: {}", expectation.line,
                                   FormatDuration(context.cluster.Elapsed()), NameOf(expectation.of),
                                   check.rule->name, *problem));
  }
  return problems;
}

bool Contains(const json::value& actual, const json::value& wanted) {
  if (wanted.is_object()) {
    if (!actual.is_object()) return false;
    return std::ranges::all_of(wanted.get_object(), [&](const auto& entry) {
      const json::value* found = actual.get_object().if_contains(entry.key());
      if (entry.value().is_null()) return found == nullptr || found->is_null();
      return found != nullptr && Contains(*found, entry.value());
    });
  }
  if (wanted.is_array()) {
    if (!actual.is_array()) return false;
    return std::ranges::all_of(wanted.get_array(), [&](const json::value& item) {
      return std::ranges::any_of(actual.get_array(),
                                 [&](const json::value& there) { return Contains(there, item); });
    });
  }
  if (wanted.is_int64() && actual.is_uint64())
    return wanted.get_int64() >= 0 && static_cast<std::uint64_t>(wanted.get_int64()) == actual.get_uint64();
  return actual == wanted;
}

}  // namespace cadre::app

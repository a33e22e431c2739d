// Random small clusters and requests for property tests: at most 8 nodes and 8 pods, tight enough that many
// have no answer, with every rule of the matcher in play.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#include "base/random.h"
#include "match/node_table.h"
#include "match/testing.h"

namespace cadre::match::testing {

// Which rules a case may use.
struct CaseStyle {
  bool terms = true;     // affinity, anti-affinity, spread
  bool topology = true;  // required keys
  bool minimums = true;
  bool fixed = true;
  bool node_rules = true;  // taints, cordons, selectors, ports
  bool large = false;      // always near 8 nodes and 8 pods
  bool exclusive = false;  // exclusive keys, claims, pods of other gangs
  bool preferred = false;  // preferred keys, of at most three units
  bool small = false;      // at most 5 nodes and 6 pods
};

struct RandomMember {
  std::size_t spec = 0;
  kube::StringMap labels;
  std::string fixed;  // name of the pod that is it
  std::string hint;
};

struct RandomUnit {
  std::string name = "unit";
  std::int32_t minimum = Unit::kAll;
  model::TopologyAsk topology;
  bool alone = false;
  std::vector<RandomMember> members;
  std::vector<RandomUnit> units;
};

// Values only, so that the same case can be built more than once, in any order.
struct RandomCase {
  std::vector<kube::Node> nodes;
  std::vector<kube::Pod> pods;
  std::vector<kube::PodSpec> specs;
  std::map<std::string, model::Tenant> tenants;  // by pod name; the others are on their own
  std::vector<model::Claim> claims;
  RandomUnit root;

  // For a person who looks into a failed case.
  std::string Describe() const {
    std::string text;
    for (const kube::Node& node : nodes) {
      text +=
          fmt::format("node {} {} labels {}{}{}\n", node.metadata.name,
                      kube::FormatAmounts(node.status.allocatable), node.metadata.labels,
                      node.spec.taints.empty() ? "" : " tainted", node.spec.unschedulable ? " cordoned" : "");
    }
    for (const kube::Pod& pod : pods) {
      const auto tenant = tenants.find(pod.metadata.name);
      text += fmt::format(
          "pod {} {} on {}{}{}{}\n", pod.metadata.name, Describe(pod.spec, pod.metadata.labels),
          pod.spec.node_name, pod.metadata.deletion_timestamp ? ", being deleted" : "",
          tenant == tenants.end() ? "" : fmt::format(" of {}/{}", tenant->second.group, tenant->second.unit),
          pod.metadata.owner_references.empty() ? "" : ", daemon");
    }
    for (const model::Claim& claim : claims) {
      text += fmt::format("claim of {}/{} on {} {}{}\n", claim.holder.group, claim.holder.unit, claim.key,
                          fmt::join(claim.path, "/"), ScopeText(claim.scope));
    }
    return text + Describe(root, "");
  }

  static std::string_view ScopeText(model::ExclusiveScope scope) {
    return scope == model::ExclusiveScope::kAll ? " (all)" : "";
  }

  static std::string Describe(const kube::PodSpec& spec, const kube::StringMap& labels) {
    std::string text = fmt::format("{} labels {}", kube::FormatAmounts(kube::PodRequests(spec)), labels);
    const auto terms = [&](std::string_view what, const std::vector<kube::PodAffinityTerm>& list) {
      for (const kube::PodAffinityTerm& t : list) {
        text += fmt::format(", {} {} over {} in {}", what,
                            t.label_selector ? kube::ToString(*t.label_selector) : "nothing", t.topology_key,
                            t.namespaces);
      }
    };
    terms("near", spec.affinity.required_pod);
    terms("apart from", spec.affinity.required_anti_pod);
    for (const kube::TopologySpreadConstraint& s : spec.topology_spread) {
      text += fmt::format(", spread {} over {} by {} of {} domains", kube::ToString(*s.label_selector),
                          s.topology_key, s.max_skew, s.min_domains.value_or(1));
    }
    if (!spec.node_selector.empty()) text += fmt::format(", on {}", spec.node_selector);
    if (!spec.containers[0].ports.empty()) text += ", port";
    return text;
  }

  std::string Describe(const RandomUnit& unit, const std::string& indent) const {
    std::string text =
        fmt::format("{}unit {} minimum {}{}", indent, unit.name, unit.minimum, unit.alone ? " alone" : "");
    const model::TopologyAsk& ask = unit.topology;
    if (!ask.required.empty()) text += fmt::format(" in one {}", ask.required);
    if (!ask.preferred.empty()) text += fmt::format(" preferably in one {}", ask.preferred);
    if (!ask.exclusive.empty())
      text += fmt::format(" in a {} of its own{}", ask.exclusive, ScopeText(ask.scope));
    text += "\n";
    for (const RandomMember& m : unit.members) {
      text +=
          fmt::format("{}  member {}{}{}\n", indent, Describe(specs[m.spec], m.labels),
                      m.fixed.empty() ? "" : " fixed " + m.fixed, m.hint.empty() ? "" : " hint " + m.hint);
    }
    for (const RandomUnit& child : unit.units)
      text += Describe(child, indent + "  ");
    return text;
  }

  Unit BuildUnit(World& world, const RandomUnit& unit) const {
    Unit built{.name = unit.name,
               .minimum = unit.minimum,
               .topology = unit.topology,
               .alone = unit.alone,
               .units = {},
               .members = {}};
    for (const RandomMember& m : unit.members) {
      Member member = world.NewMember(specs[m.spec], m.labels);
      if (!m.fixed.empty())
        member.fixed = world.cluster().pod(world.cluster().FindPod("pod-" + m.fixed)).node;
      if (!m.hint.empty()) member.hint = world.Id(m.hint);
      built.members.push_back(std::move(member));
    }
    for (const RandomUnit& child : unit.units)
      built.units.push_back(BuildUnit(world, child));
    return built;
  }

  // `backwards`: everything enters the cluster in the opposite order.
  Request Build(World& world, bool backwards = false) const {
    std::vector<kube::Node> ordered_nodes = nodes;
    std::vector<kube::Pod> ordered_pods = pods;
    if (backwards) {
      std::ranges::reverse(ordered_nodes);
      std::ranges::reverse(ordered_pods);
      for (std::size_t i = specs.size(); i-- > 0;)
        world.cluster().InternShape(specs[i], "default");
    }
    for (const kube::Pod& pod : ordered_pods) {
      if (backwards) world.Add(pod);
    }
    for (const kube::Node& node : ordered_nodes)
      world.Add(node);
    for (const kube::Pod& pod : ordered_pods) {
      if (!backwards) world.Add(pod);
    }
    for (const auto& [pod, tenant] : tenants) {
      world.cluster().SetTenant(world.cluster().FindPod("pod-" + pod), world.cluster().InternTenant(tenant));
    }
    for (const model::Claim& claim : claims)
      world.cluster().SetClaim(claim);
    return {.root = BuildUnit(world, root), .group = "mine"};
  }
};

class CaseMaker {
 public:
  CaseMaker(std::uint64_t seed, CaseStyle style) : random_(seed), style_(style) {}

  RandomCase Make() {
    MakeNodes();
    const std::size_t specs = 1 + random_.Uniform(3);
    for (std::size_t i = 0; i < specs; ++i)
      case_.specs.push_back(MakeSpecOf());
    MakePods();
    members_left_ = style_.large   ? 6 + random_.Uniform(3)
                    : style_.small ? 2 + random_.Uniform(5)
                                   : 1 + random_.Uniform(8);
    case_.root = MakeUnit(0);
    if (style_.exclusive) {
      NameUnits();
      MakeClaims();
    }
    return std::move(case_);
  }

 private:
  std::string OneOf(std::initializer_list<std::string_view> choices) {
    return std::string(*(choices.begin() + random_.Uniform(choices.size())));
  }
  std::string App() { return OneOf({"a", "b", "c"}); }

  void MakeNodes() {
    const std::size_t count = style_.large   ? 5 + random_.Uniform(4)
                              : style_.small ? 2 + random_.Uniform(4)
                                             : 1 + random_.Uniform(8);
    for (std::size_t i = 0; i < count; ++i) {
      kube::ResourceList more;
      if (random_.Chance(0.4)) more.emplace("example.com/gpu", random_.Between(0, 2));
      if (random_.Chance(0.2)) more.emplace("pods", random_.Between(1, 3));
      kube::StringMap labels;
      if (random_.Chance(0.9)) labels.emplace(kZone, OneOf({"z1", "z2"}));
      if (random_.Chance(0.85)) labels.emplace(kRack, OneOf({"1", "2", "3"}));
      if (random_.Chance(0.5)) labels.emplace("pool", OneOf({"x", "y"}));
      kube::Node node =
          MakeNode(fmt::format("n{}", i), random_.Between(1, 4), std::move(labels), std::move(more));
      if (style_.node_rules && random_.Chance(0.15))
        node.spec.taints.push_back({"dedicated", "x", "NoSchedule"});
      if (style_.node_rules) node.spec.unschedulable = random_.Chance(0.07);
      case_.nodes.push_back(std::move(node));
    }
  }

  kube::PodAffinityTerm MakeTermOf() {
    kube::PodAffinityTerm term = MakeTerm("app", App(), OneOf({kZone, kZone, kRack, kHost}));
    if (random_.Chance(0.15)) term.namespaces = {OneOf({"default", "other"})};
    if (random_.Chance(0.1)) term.namespace_selector = kube::LabelSelector{};
    if (random_.Chance(0.1)) term.match_label_keys = {"rev"};
    if (random_.Chance(0.1)) term.mismatch_label_keys = {"rev"};
    if (random_.Chance(0.05)) term.label_selector.reset();
    return term;
  }

  kube::TopologySpreadConstraint MakeSpreadOf() {
    kube::TopologySpreadConstraint spread = MakeSpread("app", App(), OneOf({kZone, kZone, kRack, kHost}),
                                                       static_cast<std::int32_t>(random_.Between(1, 2)));
    if (random_.Chance(0.2)) spread.min_domains = static_cast<std::int32_t>(random_.Between(1, 3));
    spread.honor_node_affinity = random_.Chance(0.7);
    spread.honor_node_taints = random_.Chance(0.3);
    if (random_.Chance(0.2)) spread.match_label_keys = {"rev"};
    return spread;
  }

  void AddTerms(kube::PodSpec& spec, double chance) {
    if (!style_.terms) return;
    if (random_.Chance(chance)) spec.affinity.required_anti_pod.push_back(MakeTermOf());
    if (random_.Chance(chance)) spec.affinity.required_pod.push_back(MakeTermOf());
    if (random_.Chance(chance * 0.2)) spec.affinity.required_pod.push_back(MakeTermOf());
    if (random_.Chance(chance)) spec.topology_spread.push_back(MakeSpreadOf());
    if (random_.Chance(chance * 0.3)) spec.topology_spread.push_back(MakeSpreadOf());
  }

  kube::PodSpec MakeSpecOf() {
    kube::ResourceList more;
    if (random_.Chance(0.25)) more.emplace("example.com/gpu", 1);
    kube::PodSpec spec = MakeSpec(random_.Between(style_.large || style_.small ? 1 : 0, 3), std::move(more));
    if (style_.node_rules) {
      if (random_.Chance(0.15)) spec.node_selector.emplace("pool", OneOf({"x", "y"}));
      if (random_.Chance(0.2)) Tolerate(spec, "dedicated");
      if (random_.Chance(0.15)) WantHostPort(spec, 80);
    }
    AddTerms(spec, 0.25);
    return spec;
  }

  kube::StringMap MakeLabels() {
    kube::StringMap labels;
    if (random_.Chance(0.9)) labels.emplace("app", App());
    if (random_.Chance(0.3)) labels.emplace("rev", OneOf({"1", "2"}));
    labels.emplace("index", std::to_string(random_.Uniform(100)));
    return labels;
  }

  void MakePods() {
    const std::size_t count = random_.Uniform(5);
    for (std::size_t i = 0; i < count; ++i) {
      kube::PodSpec spec = MakeSpec(random_.Between(0, 1));
      AddTerms(spec, 0.12);
      if (style_.node_rules && random_.Chance(0.1)) WantHostPort(spec, 80);
      kube::Pod pod = World::MakePod(fmt::format("p{}", i), std::move(spec), MakeLabels());
      pod.spec.node_name = RandomNode();
      if (random_.Chance(0.15)) pod.metadata.namespace_ = "other";
      if (random_.Chance(0.15)) pod.metadata.deletion_timestamp = Time{};
      if (style_.exclusive) BelongToSomebody(pod);
      case_.pods.push_back(std::move(pod));
    }
  }

  // Most pods are on their own; some are of another gang, of an earlier attempt of this one, or a daemon's.
  void BelongToSomebody(kube::Pod& pod) {
    const std::uint64_t kind = random_.Uniform(10);
    if (kind < 2) case_.tenants[pod.metadata.name] = {"other", "job"};
    if (kind == 2) case_.tenants[pod.metadata.name] = {"mine", OneOf({"u0", "u1", "u2"})};
    if (kind == 3 || kind == 4) BelongToDaemonSet(pod);
  }

  // Units of the root are tenants by their names, and so are the pods that are their members already.
  void NameUnits() {
    case_.root.name = "root";
    NamePods(case_.root, "");
    for (std::size_t i = 0; i < case_.root.units.size(); ++i) {
      RandomUnit& unit = case_.root.units[i];
      unit.name = fmt::format("u{}", i);
      NamePods(unit, unit.name);
      for (const RandomUnit& inner : unit.units)
        NamePodsBelow(inner, unit.name);
    }
  }

  void NamePods(const RandomUnit& unit, const std::string& tenant) {
    for (const RandomMember& member : unit.members) {
      if (!member.fixed.empty() && !unit.alone) case_.tenants[member.fixed] = {"mine", tenant};
    }
  }

  void NamePodsBelow(const RandomUnit& unit, const std::string& tenant) {
    NamePods(unit, tenant);
    for (const RandomUnit& inner : unit.units)
      NamePodsBelow(inner, tenant);
  }

  model::ExclusiveScope Scope() {
    return random_.Chance(0.3) ? model::ExclusiveScope::kAll : model::ExclusiveScope::kGroups;
  }

  void MakeClaims() {
    const std::size_t others = random_.Uniform(3);
    for (std::size_t i = 0; i < others; ++i)
      AddClaim({fmt::format("other{}", i), "job"});
    if (random_.Chance(0.15)) AddClaim({"mine", ""});
    if (random_.Chance(0.3)) AddClaim({"mine", OneOf({"u0", "u1", "u2"})});
  }

  void AddClaim(model::Tenant holder) {
    const std::string key = OneOf({kZone, kRack, kRack, kHost, kHost});
    const kube::Node& node = case_.nodes[random_.Uniform(case_.nodes.size())];
    if (!node.metadata.labels.contains(key)) return;
    case_.claims.push_back({.holder = holder,
                            .key = key,
                            .path = PathValuesOf(node, key),
                            .scope = Scope(),
                            .text = holder.group});
  }

  // Exclusive, preferred and alone, beside what is required.
  void AskMore(RandomUnit& unit, int depth) {
    if (style_.exclusive && random_.Chance(depth == 0 ? 0.25 : 0.4)) {
      unit.topology.exclusive = OneOf({kZone, kRack, kRack, kHost});
      unit.topology.scope = Scope();
    }
    if (style_.preferred && preferring_ < 3 && random_.Chance(0.6)) {
      unit.topology.preferred = OneOf({kZone, kRack, kRack, kHost});
      ++preferring_;
    }
    if (style_.exclusive && unit.members.size() == 1 && unit.units.empty()) {
      unit.alone = random_.Chance(unit.topology.exclusive.empty() ? 0.6 : 0.2);
    }
  }

  std::string RandomNode() { return case_.nodes[random_.Uniform(case_.nodes.size())].metadata.name; }

  RandomUnit MakeUnit(int depth) {
    RandomUnit unit;
    if (style_.topology && random_.Chance(depth == 0 ? 0.3 : 0.4))
      unit.topology.required = OneOf({kZone, kRack, kRack, kHost});
    const std::size_t units = depth == 2 ? 0 : random_.Uniform(depth == 0 ? 4 : 2);
    const bool own = units == 0 || random_.Chance(0.4);
    if (own) AddMembers(unit);
    // Siblings are often alike.
    for (std::size_t i = 0; i < units; ++i) {
      if (i > 0 && random_.Chance(0.5) && members_left_ >= unit.units.back().members.size() &&
          unit.units.back().units.empty() &&
          (unit.units.back().topology.preferred.empty() || preferring_ < 3)) {
        RandomUnit twin = unit.units.back();
        preferring_ += twin.topology.preferred.empty() ? 0 : 1;
        members_left_ -= twin.members.size();
        for (RandomMember& member : twin.members)
          member.fixed.clear();
        unit.units.push_back(std::move(twin));
      } else {
        unit.units.push_back(MakeUnit(depth + 1));
      }
    }
    AskMore(unit, depth);
    const std::size_t parts = unit.members.size() + unit.units.size();
    if (style_.minimums && parts > 0 && random_.Chance(0.35)) {
      unit.minimum = static_cast<std::int32_t>(1 + random_.Uniform(parts));
    }
    return unit;
  }

  void AddMembers(RandomUnit& unit) {
    const std::size_t count =
        std::min<std::size_t>(members_left_, (style_.large ? 2 : 1) + random_.Uniform(4));
    members_left_ -= count;
    std::size_t spec = random_.Uniform(case_.specs.size());
    kube::StringMap labels = MakeLabels();
    for (std::size_t i = 0; i < count; ++i) {
      if (random_.Chance(0.2)) spec = random_.Uniform(case_.specs.size());
      if (random_.Chance(0.15)) labels = MakeLabels();
      RandomMember member{spec, labels, {}, {}};
      if (style_.fixed && random_.Chance(0.1)) {
        // It holds its place, so it is a pod of the cluster.
        kube::Pod pod = World::MakePod(fmt::format("f{}", case_.pods.size()), case_.specs[spec], labels);
        pod.spec.node_name = RandomNode();
        member.fixed = pod.metadata.name;
        case_.pods.push_back(std::move(pod));
      } else if (style_.fixed && random_.Chance(0.1)) {
        member.hint = RandomNode();
      }
      unit.members.push_back(std::move(member));
    }
  }

  Random random_;
  CaseStyle style_;
  RandomCase case_;
  std::size_t members_left_ = 0;
  int preferring_ = 0;
};

}  // namespace cadre::match::testing

// Where a pod may be placed: selectors, affinity, tolerations, spread.
#include <algorithm>
#include <array>
#include <charconv>

#include "kube/validate_rules.h"

namespace cadre::kube {
namespace {

bool IsInteger(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

void ValidateRequirement(const std::string& field, const Requirement& requirement, Complaints& complaints) {
  complaints.AddIf(field + ".key", requirement.key, WrongAsQualifiedName(requirement.key));
  const std::size_t values = requirement.values.size();
  switch (requirement.op) {
    case SelectorOperator::kIn:
    case SelectorOperator::kNotIn:
      if (values == 0) complaints.Add(field + ".values", "is empty: In and NotIn need at least one value");
      break;
    case SelectorOperator::kExists:
    case SelectorOperator::kDoesNotExist:
      if (values != 0) complaints.Add(field + ".values", "must be left out with Exists and DoesNotExist");
      break;
    case SelectorOperator::kGt:
    case SelectorOperator::kLt:
      if (values != 1 || !IsInteger(requirement.values.front())) {
        complaints.Add(field + ".values", "must be one whole number (in quotes) with Gt and Lt");
      }
      break;
  }
}

void ValidateRequirements(const std::string& field, const std::vector<Requirement>& requirements,
                          Complaints& complaints) {
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    ValidateRequirement(fmt::format("{}[{}]", field, i), requirements[i], complaints);
  }
}

void ValidateLabelSelector(const std::string& field, const std::optional<LabelSelector>& selector,
                           Complaints& complaints) {
  if (selector) ValidateRequirements(field, selector->requirements, complaints);
}

void ValidateMatchFields(const std::string& field, const std::vector<Requirement>& fields,
                         Complaints& complaints) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool in = fields[i].op == SelectorOperator::kIn || fields[i].op == SelectorOperator::kNotIn;
    if (fields[i].key == "metadata.name" && in && fields[i].values.size() == 1) continue;
    complaints.Add(fmt::format("{}[{}]", field, i),
                   "must be metadata.name, In or NotIn, with exactly one value");
  }
}

void ValidateNodeAffinity(const std::string& field, const NodeSelector& selector, Complaints& complaints) {
  if (selector.terms.empty()) {
    complaints.Add(field + ".nodeSelectorTerms",
                   "is empty: it needs at least one term, or leave the affinity out");
  }
  for (std::size_t i = 0; i < selector.terms.size(); ++i) {
    const std::string term = fmt::format("{}.nodeSelectorTerms[{}]", field, i);
    ValidateRequirements(term + ".matchExpressions", selector.terms[i].match_expressions, complaints);
    ValidateMatchFields(term + ".matchFields", selector.terms[i].match_fields, complaints);
  }
}

void ValidateTopologyKey(const std::string& field, const std::string& key, Complaints& complaints) {
  if (key.empty()) {
    complaints.Add(field, "is missing: name the node label whose values are the domains");
  } else {
    complaints.AddIf(field, key, WrongAsQualifiedName(key));
  }
}

void ValidatePodAffinity(const std::string& field, const std::vector<PodAffinityTerm>& terms,
                         Complaints& complaints) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::string term = fmt::format("{}.requiredDuringSchedulingIgnoredDuringExecution[{}]", field, i);
    ValidateTopologyKey(term + ".topologyKey", terms[i].topology_key, complaints);
    ValidateLabelSelector(term + ".labelSelector", terms[i].label_selector, complaints);
    ValidateLabelSelector(term + ".namespaceSelector", terms[i].namespace_selector, complaints);
  }
}

void ValidateToleration(const std::string& field, const Toleration& toleration, Complaints& complaints) {
  if (toleration.key.empty() && !toleration.exists) {
    complaints.Add(field + ".operator", "must be Exists when key is left out (that tolerates every taint)");
  }
  if (!toleration.key.empty())
    complaints.AddIf(field + ".key", toleration.key, WrongAsQualifiedName(toleration.key));
  if (toleration.exists && !toleration.value.empty()) {
    complaints.Add(field + ".value", "must be left out with operator Exists");
  }
  if (toleration.comparison != TaintComparison::kNone && !IsInteger(toleration.value)) {
    complaints.Add(field + ".value", "must be a whole number (in quotes) with Gt and Lt");
  }
  constexpr std::array<std::string_view, 4> kEffects = {"", "NoSchedule", "PreferNoSchedule", "NoExecute"};
  if (std::ranges::find(kEffects, toleration.effect) == kEffects.end()) {
    complaints.Add(
        field + ".effect",
        fmt::format("is \"{}\", must be NoSchedule, PreferNoSchedule or NoExecute", toleration.effect));
  }
  if (toleration.toleration_seconds && toleration.effect != "NoExecute") {
    complaints.Add(field + ".tolerationSeconds", "is only for effect NoExecute");
  }
}

void ValidateSpread(const std::string& field, const TopologySpreadConstraint& spread,
                    Complaints& complaints) {
  if (spread.max_skew < 1) {
    complaints.Add(field + ".maxSkew", fmt::format("is {}, must be at least 1", spread.max_skew));
  }
  ValidateTopologyKey(field + ".topologyKey", spread.topology_key, complaints);
  ValidateLabelSelector(field + ".labelSelector", spread.label_selector, complaints);
  if (spread.min_domains && *spread.min_domains < 1) {
    complaints.Add(field + ".minDomains", fmt::format("is {}, must be at least 1", *spread.min_domains));
  }
  if (spread.min_domains && !spread.do_not_schedule) {
    complaints.Add(field + ".minDomains", "is only for whenUnsatisfiable DoNotSchedule");
  }
}

}  // namespace

void ValidatePodPlacement(const std::string& field, const PodSpec& spec, Complaints& complaints) {
  ValidateLabels(field + ".nodeSelector", spec.node_selector, complaints);
  if (spec.affinity.required_node) {
    ValidateNodeAffinity(field + ".affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
                         *spec.affinity.required_node, complaints);
  }
  ValidatePodAffinity(field + ".affinity.podAffinity", spec.affinity.required_pod, complaints);
  ValidatePodAffinity(field + ".affinity.podAntiAffinity", spec.affinity.required_anti_pod, complaints);
  for (std::size_t i = 0; i < spec.tolerations.size(); ++i) {
    ValidateToleration(fmt::format("{}.tolerations[{}]", field, i), spec.tolerations[i], complaints);
  }
  for (std::size_t i = 0; i < spec.topology_spread.size(); ++i) {
    ValidateSpread(fmt::format("{}.topologySpreadConstraints[{}]", field, i), spec.topology_spread[i],
                   complaints);
  }
  if (!spec.node_name.empty() && !spec.scheduling_gates.empty()) {
    complaints.Add(field + ".nodeName", "cannot be set while there are schedulingGates");
  }
}

}  // namespace cadre::kube

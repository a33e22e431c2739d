#include "kube/node.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace cadre::kube {
namespace {

std::optional<std::int64_t> ParseInteger(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

bool ToleratesNumber(const Toleration& toleration, const Taint& taint) {
  const std::optional<std::int64_t> bound = ParseInteger(toleration.value);
  const std::optional<std::int64_t> found = ParseInteger(taint.value);
  if (!bound || !found) return false;
  return toleration.comparison == TaintComparison::kGt ? *found > *bound : *found < *bound;
}

bool AnyTolerates(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::ranges::any_of(tolerations, [&](const Toleration& t) { return Tolerates(t, taint); });
}

const Taint& CordonTaint() {
  static const Taint kTaint{.key = "node.kubernetes.io/unschedulable", .value = "", .effect = "NoSchedule"};
  return kTaint;
}

// Only metadata.name is a field of nodes, and the API takes exactly one value for it.
bool MatchesField(const Requirement& requirement, std::string_view node_name) {
  if (requirement.key != "metadata.name" || requirement.values.size() != 1) return false;
  const bool equal = requirement.values.front() == node_name;
  if (requirement.op == SelectorOperator::kIn) return equal;
  return requirement.op == SelectorOperator::kNotIn && !equal;
}

bool MatchesTerm(const NodeSelectorTerm& term, const StringMap& node_labels, std::string_view node_name) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  return std::ranges::all_of(term.match_expressions,
                             [&](const Requirement& r) { return Matches(r, node_labels); }) &&
         std::ranges::all_of(term.match_fields,
                             [&](const Requirement& r) { return MatchesField(r, node_name); });
}

}  // namespace

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.exists) return true;
  if (toleration.comparison != TaintComparison::kNone) return ToleratesNumber(toleration, taint);
  return toleration.value == taint.value;
}

const Taint* UntoleratedTaint(const Node& node, const std::vector<Toleration>& tolerations) {
  for (const Taint& taint : node.spec.taints) {
    const bool forbids = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    if (forbids && !AnyTolerates(tolerations, taint)) return &taint;
  }
  if (node.spec.unschedulable && !AnyTolerates(tolerations, CordonTaint())) return &CordonTaint();
  return nullptr;
}

bool MatchesNodeConstraints(const StringMap& node_selector, const std::optional<NodeSelector>& affinity,
                            const StringMap& node_labels, std::string_view node_name) {
  for (const auto& [key, value] : node_selector) {
    const auto label = node_labels.find(key);
    if (label == node_labels.end() || label->second != value) return false;
  }
  if (!affinity) return true;
  return std::ranges::any_of(affinity->terms, [&](const NodeSelectorTerm& term) {
    return MatchesTerm(term, node_labels, node_name);
  });
}

std::string ToString(const Taint& taint) {
  if (taint.value.empty()) return fmt::format("{}:{}", taint.key, taint.effect);
  return fmt::format("{}={}:{}", taint.key, taint.value, taint.effect);
}

}  // namespace cadre::kube

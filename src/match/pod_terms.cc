#include "match/pod_terms.h"

#include <algorithm>

namespace cadre::match {
namespace {

void FoldKeys(const std::vector<std::string>& keys, kube::SelectorOperator op, const kube::StringMap& labels,
              kube::LabelSelector& selector) {
  for (const std::string& key : keys) {
    const auto label = labels.find(key);
    if (label != labels.end()) selector.requirements.push_back({key, op, {label->second}});
  }
}

void CollectKeys(const std::optional<kube::LabelSelector>& selector, std::vector<std::string>& keys) {
  if (!selector) return;
  for (const kube::Requirement& requirement : selector->requirements)
    keys.push_back(requirement.key);
}

}  // namespace

TermMatcher::TermMatcher(const kube::PodAffinityTerm& term, const PodFace& owner)
    : topology_key_(term.topology_key),
      namespaces_(term.namespaces),
      namespace_selector_(term.namespace_selector),
      selector_(term.label_selector) {
  if (namespaces_.empty() && !namespace_selector_) namespaces_.emplace_back(owner.namespace_);
  if (selector_) {
    FoldKeys(term.match_label_keys, kube::SelectorOperator::kIn, *owner.labels, *selector_);
    FoldKeys(term.mismatch_label_keys, kube::SelectorOperator::kNotIn, *owner.labels, *selector_);
  }
}

bool TermMatcher::Matches(const model::Cluster& cluster, const PodFace& pod) const {
  if (!selector_) return false;
  bool in_namespace = std::ranges::find(namespaces_, pod.namespace_) != namespaces_.end();
  if (!in_namespace && namespace_selector_) {
    const kube::StringMap* labels = cluster.NamespaceLabels(pod.namespace_);
    // A Namespace that was not read still has the label that the API server gives to every one.
    const kube::StringMap known =
        labels != nullptr ? kube::StringMap{}
                          : kube::StringMap{{"kubernetes.io/metadata.name", std::string(pod.namespace_)}};
    in_namespace = kube::Matches(*namespace_selector_, labels != nullptr ? *labels : known);
  }
  return in_namespace && kube::Matches(*selector_, *pod.labels);
}

std::optional<kube::LabelSelector> SpreadSelector(const kube::TopologySpreadConstraint& constraint,
                                                  const kube::StringMap& labels) {
  std::optional<kube::LabelSelector> selector = constraint.label_selector;
  if (selector) FoldKeys(constraint.match_label_keys, kube::SelectorOperator::kIn, labels, *selector);
  return selector;
}

void CollectLabelKeys(const model::Shape& shape, std::vector<std::string>& keys) {
  for (const auto* terms : {&shape.affinity, &shape.anti_affinity}) {
    for (const kube::PodAffinityTerm& term : *terms) {
      CollectKeys(term.label_selector, keys);
      keys.insert(keys.end(), term.match_label_keys.begin(), term.match_label_keys.end());
      keys.insert(keys.end(), term.mismatch_label_keys.begin(), term.mismatch_label_keys.end());
    }
  }
  for (const kube::TopologySpreadConstraint& constraint : shape.spread) {
    CollectKeys(constraint.label_selector, keys);
    keys.insert(keys.end(), constraint.match_label_keys.begin(), constraint.match_label_keys.end());
  }
}

}  // namespace cadre::match

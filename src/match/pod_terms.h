// When a term of one pod means another pod: namespaces, selectors, and the label keys that come from the pod
// itself.
//
// Source: API reference of PodAffinityTerm and TopologySpreadConstraint; KEP-2249 (namespaceSelector),
// KEP-3633 (matchLabelKeys and mismatchLabelKeys of affinity), KEP-3243 (matchLabelKeys of spread).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/pod.h"
#include "model/cluster.h"

namespace cadre::match {

// A pod as terms see it. Refers to what it is made from.
struct PodFace {
  std::string_view namespace_;
  const kube::StringMap* labels;
};

// One term of a pod, its defaults resolved: no namespaces and no namespaceSelector mean the pod's own
// namespace; the API server folds matchLabelKeys into the selector when a pod is created, which a template
// has not seen yet (folding twice changes nothing).
class TermMatcher {
 public:
  TermMatcher(const kube::PodAffinityTerm& term, const PodFace& owner);

  bool Matches(const model::Cluster& cluster, const PodFace& pod) const;
  const std::string& topology_key() const { return topology_key_; }

 private:
  std::string topology_key_;
  std::vector<std::string> namespaces_;
  std::optional<kube::LabelSelector> namespace_selector_;
  std::optional<kube::LabelSelector> selector_;  // none: matches no pod
};

// The selector of a spread constraint as it counts for this pod; none: matches no pod.
std::optional<kube::LabelSelector> SpreadSelector(const kube::TopologySpreadConstraint& constraint,
                                                  const kube::StringMap& labels);

// Label keys that the terms of a shape look at: two pods whose labels agree on these are alike to it.
void CollectLabelKeys(const model::Shape& shape, std::vector<std::string>& keys);

}  // namespace cadre::match

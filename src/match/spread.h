// One hard topology spread constraint of one role, with counts that follow the search.
//
// Source: KEP-895, KEP-3022 (minDomains), KEP-3094 (node inclusion policies), and the documentation of
// topology spread constraints: only nodes that carry the keys of all constraints of the pod, and pass the
// inclusion policies, are domains; terminating pods and pods of other namespaces are not counted.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "match/node_table.h"
#include "match/pod_terms.h"

namespace cadre::match {

class SpreadCounter {
 public:
  // `counted`: by node, whether its pods count and its domain is one (keys of all constraints, inclusion
  // policies).
  SpreadCounter(const kube::TopologySpreadConstraint& constraint, const PodFace& owner,
                const Domains& domains, std::vector<bool> counted);

  // A pod that is not being deleted.
  bool Matches(const PodFace& pod) const;

  void Add(NodeIndex node, std::int32_t weight);  // negative: taken away again

  // The node carries the key, and one more pod of the owner there keeps the skew.
  bool Allows(NodeIndex node) const;

  // At most this many more pods of the owner can be placed, if nobody else adds any, where `room` of domain d
  // are all that fit there. An upper bound; exact when this is the only constraint.
  std::int64_t Room(const std::vector<std::int64_t>& room) const;

  const Domains& domains() const { return *domains_; }
  bool Counts(NodeIndex node) const { return counted_[node]; }

 private:
  std::int64_t Minimum() const;
  void Move(std::int32_t domain, std::int32_t weight);

  std::int64_t max_skew_;
  std::int64_t min_domains_;
  std::string namespace_;
  std::optional<kube::LabelSelector> selector_;
  bool self_ = false;  // the owner matches its own selector
  const Domains* domains_;
  std::vector<bool> counted_;
  std::vector<std::int32_t> count_;       // by domain
  std::vector<bool> exists_;              // by domain: some node of it is counted
  std::vector<std::int32_t> with_count_;  // how many existing domains have this count
  std::int64_t domain_count_ = 0;
  std::int32_t lowest_ = 0;  // the least count of an existing domain
};

}  // namespace cadre::match

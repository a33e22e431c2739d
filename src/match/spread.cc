#include "match/spread.h"

#include <algorithm>
#include <limits>

namespace cadre::match {

SpreadCounter::SpreadCounter(const kube::TopologySpreadConstraint& constraint, const PodFace& owner,
                             const Domains& domains, std::vector<bool> counted)
    : max_skew_(constraint.max_skew),
      min_domains_(constraint.min_domains.value_or(1)),
      namespace_(owner.namespace_),
      selector_(SpreadSelector(constraint, *owner.labels)),
      domains_(&domains),
      counted_(std::move(counted)),
      count_(domains.size(), 0),
      exists_(domains.size(), false) {
  self_ = Matches(owner);
  for (NodeIndex node = 0; node < counted_.size(); ++node) {
    const std::int32_t domain = domains.of[node];
    if (!counted_[node] || domain == kNoDomain || exists_[static_cast<std::size_t>(domain)]) continue;
    exists_[static_cast<std::size_t>(domain)] = true;
    ++domain_count_;
  }
  with_count_.assign(1, static_cast<std::int32_t>(domain_count_));
}

bool SpreadCounter::Matches(const PodFace& pod) const {
  return selector_ && pod.namespace_ == namespace_ && kube::Matches(*selector_, *pod.labels);
}

void SpreadCounter::Move(std::int32_t domain, std::int32_t weight) {
  std::int32_t& count = count_[static_cast<std::size_t>(domain)];
  --with_count_[static_cast<std::size_t>(count)];
  count += weight;
  if (static_cast<std::size_t>(count) >= with_count_.size())
    with_count_.resize(static_cast<std::size_t>(count) + 1, 0);
  ++with_count_[static_cast<std::size_t>(count)];
  lowest_ = std::min(lowest_, count);
  while (with_count_[static_cast<std::size_t>(lowest_)] == 0)
    ++lowest_;
}

void SpreadCounter::Add(NodeIndex node, std::int32_t weight) {
  if (counted_[node] && domains_->of[node] != kNoDomain) Move(domains_->of[node], weight);
}

std::int64_t SpreadCounter::Minimum() const {
  return domain_count_ < min_domains_ || domain_count_ == 0 ? 0 : lowest_;
}

bool SpreadCounter::Allows(NodeIndex node) const {
  const std::int32_t domain = domains_->of[node];
  if (domain == kNoDomain) return false;
  return count_[static_cast<std::size_t>(domain)] + (self_ ? 1 : 0) - Minimum() <= max_skew_;
}

std::int64_t SpreadCounter::Room(const std::vector<std::int64_t>& room) const {
  std::int64_t level = Minimum();
  if (self_ && domain_count_ > 0 && domain_count_ >= min_domains_) {
    // The fullest that the emptiest domain can become limits all others.
    level = std::numeric_limits<std::int64_t>::max();
    for (std::size_t d = 0; d < count_.size(); ++d) {
      if (exists_[d]) level = std::min(level, count_[d] + room[d]);
    }
  }
  std::int64_t total = 0;
  for (std::size_t d = 0; d < count_.size(); ++d) {
    const std::int64_t margin = max_skew_ + level - count_[d];
    if (!self_) {
      total += margin >= 0 ? room[d] : 0;
    } else {
      total += std::clamp<std::int64_t>(margin, 0, room[d]);
    }
  }
  return total;
}

}  // namespace cadre::match

#include "model/hypothesis.h"

#include <utility>

#include <fmt/format.h>

namespace cadre::model {

Hypothesis::Hypothesis(Cluster& cluster)
    : cluster_(cluster), room_version_(cluster.room_version_), pods_version_(cluster.pods_version_) {}

Hypothesis::~Hypothesis() {
  BackTo(0);
  cluster_.room_version_ = room_version_;
  cluster_.pods_version_ = pods_version_;
}

void Hypothesis::BackTo(Mark mark) {
  while (changes_.size() > mark) {
    const Change change = std::move(changes_.back());
    changes_.pop_back();
    std::visit([&](const auto& one) { Undo(one); }, change);
  }
}

// A node that is gone keeps its slot while the last of its pods is away: it comes back.
void Hypothesis::Leave(PodId pod) {
  const PodEntry& entry = cluster_.pod(pod);
  if (entry.pod == nullptr || entry.hold == Hold::kNone) return;
  const Left left{pod, entry.node, entry.hold};
  cluster_.Detach(pod);
  changes_.emplace_back(left);
}

void Hypothesis::Undo(const Left& left) {
  cluster_.Attach(left.pod, left.node, left.hold);
}

void Hypothesis::Release(const std::string& key) {
  const auto found = cluster_.reservations_.find(key);
  if (found == cluster_.reservations_.end()) return;
  Released released{key, found->second};
  cluster_.Unreserve(key);
  changes_.emplace_back(std::move(released));
}

void Hypothesis::Undo(const Released& released) {
  cluster_.Reserve(released.key, released.reservation);
}

void Hypothesis::Come(Reservation reservation) {
  // No key of a group starts like this.
  std::string key = fmt::format("hypothesis/{}", come_++);
  cluster_.Reserve(key, std::move(reservation));
  changes_.emplace_back(Came{std::move(key)});
}

void Hypothesis::Undo(const Came& came) {
  cluster_.Unreserve(came.key);
}

void Hypothesis::DropClaims(std::string_view group) {
  const Tenant first{std::string(group), {}};
  for (auto claim = cluster_.domain_claims_.lower_bound(first);
       claim != cluster_.domain_claims_.end() && claim->first.group == group;) {
    changes_.emplace_back(Unclaimed{claim->second});
    cluster_.EraseClaim(claim++);
  }
}

void Hypothesis::Undo(const Unclaimed& unclaimed) {
  cluster_.PutClaim(unclaimed.claim);
}

void Hypothesis::SetClaim(Claim claim) {
  const auto found = cluster_.domain_claims_.find(claim.holder);
  if (found != cluster_.domain_claims_.end()) {
    changes_.emplace_back(Unclaimed{found->second});
    cluster_.EraseClaim(found);
  }
  changes_.emplace_back(Claimed{claim.holder});
  cluster_.PutClaim(std::move(claim));
}

void Hypothesis::Undo(const Claimed& claimed) {
  const auto found = cluster_.domain_claims_.find(claimed.holder);
  if (found != cluster_.domain_claims_.end()) cluster_.EraseClaim(found);
}

void Hypothesis::Withhold(NodeId node, ResourceId resource, std::int64_t amount) {
  std::vector<std::int64_t>& used = cluster_.nodes_[node.Index()].used;
  if (used.size() <= resource.Index()) used.resize(resource.Index() + 1, 0);
  used[resource.Index()] += amount;
  cluster_.NoteChange(node, NodeNews::kUse);
  changes_.emplace_back(Withheld{node, resource, amount});
}

void Hypothesis::Undo(const Withheld& withheld) {
  cluster_.nodes_[withheld.node.Index()].used[withheld.resource.Index()] -= withheld.amount;
  cluster_.NoteChange(withheld.node, NodeNews::kUse);
}

}  // namespace cadre::model

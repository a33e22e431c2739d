// Hypothesis: what the cluster would be if some pods had left and others had come. While one lives, the
// cluster is that; when it ends, the cluster is what it was, room and pods versions included.
//
// Nothing is copied: the changes are made and taken back, so one costs what it changes and not the cluster.
// What follows a cluster's changes must follow its nodes and not trust a version that it saw meanwhile.
// Changes can be taken back to a mark, to look at several instants one after another. REQUIRES: the cluster
// is not changed otherwise while one lives; one at a time. Thread rule: as a writer of the cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/cluster.h"

namespace cadre::model {

class Hypothesis {
 public:
  explicit Hypothesis(Cluster& cluster);
  ~Hypothesis();
  Hypothesis(const Hypothesis&) = delete;
  Hypothesis& operator=(const Hypothesis&) = delete;

  // The pod holds nothing any more; no-op when it holds nothing.
  void Leave(PodId pod);
  // The cluster's reservation ends; no-op when unknown.
  void Release(const std::string& key);
  // A pod that does not exist comes to a node.
  void Come(Reservation reservation);
  // All claims of the group end. `group`: as in Tenant.
  void DropClaims(std::string_view group);
  void SetClaim(Claim claim);
  // So much of the node is not there, whoever would have it.
  void Withhold(NodeId node, ResourceId resource, std::int64_t amount);

  const Cluster& cluster() const { return cluster_; }

  using Mark = std::size_t;
  Mark Here() const { return changes_.size(); }
  void BackTo(Mark mark);

 private:
  struct Left {
    PodId pod;
    NodeId node;
    Hold hold;
  };
  struct Released {
    std::string key;
    Reservation reservation;
  };
  struct Came {
    std::string key;
  };
  struct Unclaimed {
    Claim claim;
  };
  struct Claimed {
    Tenant holder;
  };
  struct Withheld {
    NodeId node;
    ResourceId resource;
    std::int64_t amount;
  };
  using Change = std::variant<Left, Released, Came, Unclaimed, Claimed, Withheld>;

  void Undo(const Left& left);
  void Undo(const Released& released);
  void Undo(const Came& came);
  void Undo(const Unclaimed& unclaimed);
  void Undo(const Claimed& claimed);
  void Undo(const Withheld& withheld);

  Cluster& cluster_;
  const std::uint64_t room_version_;
  const std::uint64_t pods_version_;
  std::vector<Change> changes_;
  std::uint64_t come_ = 0;
};

}  // namespace cadre::model

// Claims as they stand on their owners: the annotation, and what of it holds.
//
// A group that asks for exclusive domains has them written on its record object (Job, JobSet, PodGroup or
// LeaderWorkerSet) before its first bind:
// {"v":1,"epoch":E,"claims":[{"unit":"train-w-0","key":"KEY","path":["","z1","r7"]},…]}; a unit of "" is the
// group as a whole, the path is match::PathValuesOf. It outlives the pods, because a JobSet that is restarted
// has none for a while. It ends when the owner is finished, deleted or suspended, when a unit is complete or
// asks for something else, and after kClaimWithoutPods without live pods; then it is taken off.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "groups/catalog.h"
#include "model/cluster.h"

namespace cadre::core {

inline constexpr Duration kClaimWithoutPods{600'000};

inline constexpr std::string_view kClaimsAnnotation = "cadre.dev/claims";

// kClaimsAnnotation, with the part for a group that is a part of its record object.
std::string ClaimsAnnotationOf(std::string_view part);

struct ClaimEntry {
  std::string unit;
  std::string key;
  std::vector<std::string> path;
  auto operator<=>(const ClaimEntry&) const = default;
};

// Entries sorted by unit.
std::string EncodeClaims(const std::vector<ClaimEntry>& entries, std::uint64_t epoch);
// None when the text is nothing of a version we read.
std::optional<std::vector<ClaimEntry>> DecodeClaims(std::string_view text);

// The entry as the cluster keeps it.
model::Claim ClaimOf(const model::GroupSpec& spec, const ClaimEntry& entry);

// The claims of all owners, put into the cluster. Part of core::State's fold.
class Claims {
 public:
  // The group's record object, or one of the Jobs below it, has changed.
  void Fold(const model::GroupKey& key, const groups::Catalog& catalog, model::Cluster& cluster);

  // Decided and being written: counts from now on, until the owner is seen with it or Forget is called.
  void Assume(const model::GroupSpec& spec, std::vector<ClaimEntry> entries, model::Cluster& cluster);
  void Forget(const model::GroupKey& key, const groups::Catalog& catalog, model::Cluster& cluster);

  // What the group holds now.
  std::vector<ClaimEntry> Of(const model::GroupKey& key) const;
  bool Any() const { return !records_.empty(); }

  // Annotations that say more than what holds: to be written anew (no entries: to be taken off).
  struct Stale {
    model::GroupKey key;
    model::OwnerObject record;
    std::vector<ClaimEntry> entries;
  };
  // Each is given once until its owner changes again.
  std::vector<Stale> TakeStale();
  // Of the groups that hold something: to find those without pods.
  std::vector<model::GroupKey> Holders() const;
  // Nothing of the group has lived for too long: it is stale as a whole.
  void Expire(const model::GroupKey& key, model::Cluster& cluster);

 private:
  struct Record {
    model::OwnerObject owner;
    std::vector<ClaimEntry> entries;              // what holds
    std::optional<std::vector<ClaimEntry>> sent;  // assumed
  };
  void Put(const model::GroupSpec& spec, const std::vector<ClaimEntry>& entries, model::Cluster& cluster);
  void Drop(const model::GroupKey& key, model::Cluster& cluster);

  std::map<model::GroupKey, Record> records_;
  std::map<model::GroupKey, Stale> stale_;
};

}  // namespace cadre::core

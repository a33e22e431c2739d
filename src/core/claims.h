// Claims as they stand on their owners: the annotation, and what of it holds.
//
// A group that asks for exclusive domains has them written on its record object (Job, JobSet, PodGroup or
// LeaderWorkerSet) before its first bind:
// {"v":1,"epoch":E,"claims":[{"unit":"train-w-0","key":"KEY","path":["","z1","r7"]},…]}; a unit of "" is the
// group as a whole, the path is match::PathValuesOf. It outlives the pods, because a JobSet that is restarted
// has none for a while. It ends when the owner is finished, deleted or suspended, when a unit is complete or
// asks for something else, and after kClaimWithoutPods without live pods; then it is taken off. That time
// goes on over restarts of the process: after kNoteIdleAfter without pods their absence is noted on the owner
// (cadre.dev/idle-since, RFC 3339), and the note is taken off when there are pods again.
//
// The stages of a JobSet have one annotation and hold what they hold together (model::WholeOf). An entry of
// "" may be of the key that is required of all of them: it closes the domain to nobody, but the stages that
// come later go there (core/home.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "drive/effect.h"
#include "groups/catalog.h"
#include "model/cluster.h"

namespace cadre::core {

inline constexpr Duration kClaimWithoutPods{600'000};

// Most restarts make their pods within seconds: those cost no write.
inline constexpr Duration kNoteIdleAfter{30'000};

inline constexpr std::string_view kClaimsAnnotation = "cadre.dev/claims";
inline constexpr std::string_view kIdleAnnotation = "cadre.dev/idle-since";

// With the part for a group that is a part of its record object.
std::string ClaimsAnnotationOf(std::string_view part);
std::string IdleAnnotationOf(std::string_view part);

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
  void Fold(const model::GroupKey& part, const groups::Catalog& catalog, model::Cluster& cluster);

  // Decided and being written by this effect: counts from now on, until it is answered. What was written
  // counts until the owner is seen with it, or with something else.
  void Assume(const model::GroupKey& part, drive::EffectId id, std::vector<ClaimEntry> entries,
              const groups::Catalog& catalog, model::Cluster& cluster);
  void Answer(const model::GroupKey& part, drive::EffectId id, bool done, const groups::Catalog& catalog,
              model::Cluster& cluster);

  // What the group holds now, with the other stages of its JobSet.
  std::vector<ClaimEntry> Of(const model::GroupKey& part) const;
  bool Any() const { return !records_.empty(); }

  // Annotations that say more than what holds: to be written anew (no entries: to be taken off). Keys here
  // and below are those of model::WholeOf.
  struct Stale {
    model::GroupKey key;
    model::OwnerObject record;
    std::vector<ClaimEntry> entries;
  };
  // Each is given once until its owner changes again.
  std::vector<Stale> TakeStale();
  // The groups that hold something, with their record objects: to find those without pods.
  struct Holder {
    model::GroupKey key;
    model::OwnerObject record;
  };
  std::vector<Holder> Holders() const;
  // Nothing of the group has lived for too long: it is stale as a whole.
  void Expire(const model::GroupKey& key, model::Cluster& cluster);

 private:
  struct Record {
    model::OwnerObject owner;
    std::vector<ClaimEntry> entries;                          // what holds
    std::map<drive::EffectId, std::vector<ClaimEntry>> sent;  // not answered yet
    std::optional<std::vector<ClaimEntry>> acknowledged;      // and not seen yet
    std::vector<ClaimEntry> seen_before;                      // on the owner, when it was acknowledged
  };
  static const std::vector<ClaimEntry>& Latest(Record& record, const std::vector<ClaimEntry>& written);
  void Put(const model::GroupSpec& spec, const std::vector<ClaimEntry>& entries, model::Cluster& cluster);
  void Drop(const model::GroupKey& key, model::Cluster& cluster);

  std::map<model::GroupKey, Record> records_;
  std::map<model::GroupKey, Stale> stale_;
};

}  // namespace cadre::core

// Claims: a group, or one unit of it, holds a domain that no other group may enter (docs/placement.md,
// "Exclusive").
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace cadre::model {

// Who a pod belongs to, as far as claims look at it. A unit that is empty stands for the group as a whole.
struct Tenant {
  std::string group;  // unique for the group's life: TenantGroupOf
  std::string unit;
  auto operator<=>(const Tenant&) const = default;
};

// Does what `holder` holds belong to `who` too? The group's holdings are its units' as well, not the other
// way round, and siblings keep each other out.
inline bool Covers(const Tenant& holder, const Tenant& who) {
  return holder.group == who.group && (holder.unit.empty() || holder.unit == who.unit);
}

enum class ExclusiveScope : std::uint8_t {
  kGroups,  // no claim and no member of another gang; pods on their own only take capacity
  kAll,     // only pods of DaemonSets and static pods beside the holder's own
};

struct Claim {
  Tenant holder;
  std::string key;                // topology key of the domain
  std::vector<std::string> path;  // its values, coarse to fine (match::PathOf); "" where a label is missing
  ExclusiveScope scope = ExclusiveScope::kGroups;
  std::string text;  // who it is, for people: "JobSet default/train"
  bool operator==(const Claim&) const = default;
};

}  // namespace cadre::model

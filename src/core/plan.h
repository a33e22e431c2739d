// Plan: where the members of a group were decided to go, as it travels in the annotations of binds.
//
// The API server copies a Binding's annotations onto the pod in the same write, so the plan is there as soon
// as the first member is. After a crash it is a hint, checked against the cluster: a user can edit it. Text:
// {"v":1,"epoch":E,"units":{"UNIT":[[first index, count, "NODE"],…]}}; index -1: members without an index.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::core {

inline constexpr std::string_view kPlanAnnotation = "cadre.dev/plan";
inline constexpr std::string_view kPlanIdAnnotation = "cadre.dev/plan-id";
// On the group's record object: the plan-id whose members have all been bound.
inline constexpr std::string_view kStartedAnnotation = "cadre.dev/started";
// The same for a group that is a part of its record object (a stage, one replicated job): each part has its
// own.
std::string StartedAnnotationOf(std::string_view part);
// On an owner that Cadre suspended: why. Goes when it is resumed.
inline constexpr std::string_view kRolledBackAnnotation = "cadre.dev/rolled-back";
// On the owner: how often in a row; the next resume waits longer.
inline constexpr std::string_view kRollbacksAnnotation = "cadre.dev/rollbacks";

// Longer plans are left out of the annotations: the group is then planned again around its bound members.
inline constexpr std::size_t kLongestPlan = 16 * 1024;
// Plans up to this length travel in every bind, longer ones in the first alone.
inline constexpr std::size_t kShortPlan = 512;

class Plan {
 public:
  void Put(const std::string& unit, std::int32_t index, std::string node);
  // The node of an indexed member, or "".
  std::string_view NodeOf(std::string_view unit, std::int32_t index) const;
  // The nodes of a unit's members without an index, sorted, repeated as often as members go there.
  std::vector<std::string> NodesOf(std::string_view unit) const;
  // Before a unit's members without an index are put again.
  void ForgetUnindexed(std::string_view unit);
  bool empty() const { return indexed_.empty() && unindexed_.empty(); }
  // Adds what `other` knows and this does not.
  void Merge(const Plan& other);

  std::string Encode(std::uint64_t epoch) const;
  // None when the text is no plan of a version we read.
  static std::optional<Plan> Decode(std::string_view text);

 private:
  std::map<std::string, std::map<std::int32_t, std::string>, std::less<>> indexed_;
  std::map<std::string, std::multiset<std::string>, std::less<>> unindexed_;
};

}  // namespace cadre::core

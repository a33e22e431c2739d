// ExclusiveCheck: no two gangs in a domain that one of them has for itself, judged from API objects alone.
//
// Each time Cadre binds a pod: the members of an exclusive unit that are not on their way out are in one
// domain; no member of another gang is bound into that domain, and the unit is not placed where one is (under
// scope "all" no other pod at all but of DaemonSets). Whatever others bound is not held against Cadre.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/group_tracker.h"
#include "kube/node.h"
#include "kube/object.h"

namespace cadre::app {

class ExclusiveCheck {
 public:
  // The tracker has seen the write before.
  void OnWrite(const kube::Object* before, const kube::Object* after, bool ours, const GroupTracker& tracker);
  // What was found wrong since the last call.
  std::vector<std::string> Take();

 private:
  struct Placed {
    std::string name;
    std::string node;
    std::string group;
    std::string unit;  // the unit that it is a tenant of; empty: on its own
    bool going = false;
    bool permanent = false;
  };
  struct Exclusive {
    std::string group;
    std::string unit;  // empty: the group as a whole
    std::string key;
    bool all = false;
  };

  void Learn(const model::GroupKey& key, const std::string& group, const GroupTracker& tracker);
  void Judge(const Placed& pod);
  void JudgeAgainst(const Exclusive& exclusive, const Placed& pod, const Placed& other);
  std::optional<std::string> DomainOf(const std::string& node, const std::string& key) const;

  std::map<std::string, std::shared_ptr<const kube::Node>, std::less<>> nodes_;
  std::unordered_map<std::string, Placed> pods_;              // by UID; of all that hold a node
  std::map<std::string, std::vector<Exclusive>> exclusives_;  // by group; empty for groups that have none
  bool any_ = false;
  std::vector<std::string> found_;
};

}  // namespace cadre::app

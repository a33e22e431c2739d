// GroupTracker: which group every pod in the API belongs to, and how far each group is placed; a fold over
// API writes that owes nothing to the scheduler's memory. Recorder and Checker read it.
//
// A part is what is placed together: a groups::Catalog key. Pods keep the part they had when they were
// created, so that history does not move when an owner is deleted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "groups/catalog.h"
#include "kube/object.h"
#include "model/group.h"

namespace cadre::app {

// How one part stands when an instant is over.
struct PartStanding {
  model::GroupKey key;
  bool just_started = false;  // its minimum is placed for the first time in this run of it
  std::string partial;  // not empty: fewer members placed than the minimum, and not because it lost some
  std::set<std::string>
      topology_keys;  // label keys that it must be inside one domain of; only with just_started
};

class GroupTracker {
 public:
  // One write: null `before` for a creation, null `after` when the object is gone. REQUIRES: not both null.
  void OnWrite(const kube::Object* before, const kube::Object* after);
  // An object that was there at the start. Parts with pods already bound count as started.
  void OnLoaded(const kube::Object& object);

  // Parts that were touched since the last call, judged as they stand now. Call it when an instant is over.
  std::vector<PartStanding> Settle();

  // Empty for an unknown pod. The membership a pod got when it was created.
  const model::Membership* MembershipOf(const std::string& pod_uid) const;
  const groups::Catalog& catalog() const { return catalog_; }

 private:
  struct Part {
    std::map<std::string, std::shared_ptr<const kube::Pod>> pods;  // not terminal, by UID
    bool started = false;
    bool complete = false;  // every unit there is has been placed; nothing to judge until an owner changes
    bool owner_changed = false;
    std::set<std::string> units_started;
    bool born_placed = false;  // since a pod of it is placed, one came with its node in its manifest
    std::int32_t attempt = 0;  // of the JobSet, when it last stood still
  };

  void OnPod(const kube::Object* before, const kube::Object* after);
  void Touch(const model::GroupKey& key);
  PartStanding Judge(const model::GroupKey& key, Part& part);
  void ForgetOldRun(const model::GroupKey& key, const model::GroupSpec& spec, Part& part) const;
  std::string JudgeUnits(const model::GroupSpec& spec, const std::map<std::string, std::int32_t>& placed,
                         Part& part, bool& just_started) const;

  groups::Catalog catalog_;
  std::map<model::GroupKey, Part> parts_;
  std::unordered_map<std::string, model::Membership> memberships_;  // by pod UID
  std::set<model::GroupKey> touched_;
};

}  // namespace cadre::app

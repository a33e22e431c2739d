#include "kube/meta.h"

#include <algorithm>

namespace cadre::kube {

const OwnerReference* ObjectMeta::Controller() const {
  const auto found = std::ranges::find_if(owner_references, &OwnerReference::controller);
  return found == owner_references.end() ? nullptr : &*found;
}

const Condition* FindTrue(const std::vector<Condition>& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &Condition::type);
  return found == conditions.end() || !found->status ? nullptr : &*found;
}

std::string KeyOf(const ObjectMeta& meta) {
  if (meta.namespace_.empty()) return meta.name;
  return meta.namespace_ + "/" + meta.name;
}

}  // namespace cadre::kube

#include "model/group.h"

#include <algorithm>

#include <fmt/format.h>

namespace cadre::model {

std::string ToString(const GroupKey& key) {
  const std::string name = fmt::format("{} {}/{}", key.kind, key.namespace_, key.name);
  return key.part.empty() ? name : fmt::format("{} [{}]", name, key.part);
}

std::string TenantGroupOf(const GroupKey& key) {
  return fmt::format("{} {}", ToString(key), key.uid);
}

std::int32_t NeededMembers(const UnitSpec& unit) {
  return unit.minimum == UnitSpec::kAll ? unit.expected : std::min(unit.minimum, unit.expected);
}

}  // namespace cadre::model

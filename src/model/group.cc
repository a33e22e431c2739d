#include "model/group.h"

#include <algorithm>

#include <fmt/format.h>

namespace cadre::model {

std::string ToString(const GroupKey& key) {
  const std::string name = fmt::format("{} {}/{}", key.kind, key.namespace_, key.name);
  return key.part.empty() ? name : fmt::format("{} [{}]", name, key.part);
}

GroupKey WholeOf(GroupKey key) {
  if (key.part.starts_with(kStagePrefix)) key.part.clear();
  return key;
}

std::string TenantGroupOf(const GroupKey& key) {
  return fmt::format("{} {}", ToString(WholeOf(key)), key.uid);
}

std::int32_t NeededMembers(const UnitSpec& unit) {
  return unit.minimum == UnitSpec::kAll ? unit.expected : std::min(unit.minimum, unit.expected);
}

const UnitSpec* FindUnit(const GroupSpec& spec, std::string_view name) {
  const auto found = std::ranges::find(spec.units, name, &UnitSpec::name);
  return found == spec.units.end() ? nullptr : &*found;
}

bool WantsOwnDomain(const GroupSpec& spec) {
  return !spec.topology.exclusive.empty() || std::ranges::any_of(spec.units, [](const UnitSpec& unit) {
    return !unit.topology.exclusive.empty();
  });
}

}  // namespace cadre::model

#include "model/group.h"

#include <fmt/format.h>

namespace cadre::model {

std::string ToString(const GroupKey& key) {
  const std::string name = fmt::format("{} {}/{}", key.kind, key.namespace_, key.name);
  return key.part.empty() ? name : fmt::format("{} [{}]", name, key.part);
}

}  // namespace cadre::model

#include "kube/object.h"

namespace cadre::kube {

std::string Describe(const Object& object) {
  const ObjectMeta& meta = object.Meta();
  std::string text(Info(object.kind).name);
  text += ' ';
  text += KeyOf(meta);
  // Not created yet: the API server will make the name up.
  if (meta.name.empty()) text += meta.generate_name.empty() ? "(without a name)" : meta.generate_name + "*";
  return text;
}

}  // namespace cadre::kube

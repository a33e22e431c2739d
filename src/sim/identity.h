// What the API server makes up for new objects: UIDs and the ends of generated names. Here they come from a
// counter, so that the same writes give the same objects.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cadre::sim {

class Identities {
 public:
  // A UUID in form. They are scattered like real ones: nothing may rely on their order.
  std::string NextUid();
  // `base` (cut to 58 characters) and five characters of Kubernetes' own alphabet.
  std::string NextName(std::string_view base);

 private:
  std::uint64_t uids_ = 0;
  std::uint64_t names_ = 0;
};

}  // namespace cadre::sim

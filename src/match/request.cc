#include "match/request.h"

namespace cadre::match {

std::size_t MemberCount(const Unit& unit) {
  std::size_t count = unit.members.size();
  for (const Unit& child : unit.units)
    count += MemberCount(child);
  return count;
}

}  // namespace cadre::match

#include "base/hash.h"

#include <boost/uuid/detail/sha1.hpp>
#include <fmt/format.h>

namespace cadre {

std::string Hex(std::uint64_t value) {
  return fmt::format("{:016x}", value);
}

std::string Sha1Hex(std::string_view text) {
  boost::uuids::detail::sha1 sha;
  sha.process_bytes(text.data(), text.size());
  boost::uuids::detail::sha1::digest_type digest = {};
  sha.get_digest(digest);
  std::string hex;
  for (const unsigned int word : digest)
    hex += fmt::format("{:08x}", word);
  return hex;
}

}  // namespace cadre

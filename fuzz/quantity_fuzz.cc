// Any bytes as a quantity; what is taken must be consistent between thousandths and whole units.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/check.h"
#include "kube/job.h"
#include "kube/resources.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cadre::kube;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto quantity = ParseQuantity(text)) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const std::int64_t milli = quantity->milli;
    if (milli > 0 && milli < kMost) {
      CADRE_ASSERT(quantity->value == milli / 1000 + (milli % 1000 != 0 ? 1 : 0),
                   "both round up from the same amount");
    }
    CADRE_ASSERT((milli > 0) == (quantity->value > 0) && (milli < 0) == (quantity->value < 0),
                 "the sign is one");
  }
  constexpr std::int32_t kCompletions = 1000;
  const std::vector<std::int32_t> indexes = ParseIndexes(text, kCompletions);
  CADRE_ASSERT(ParseIndexes(FormatIndexes(indexes), kCompletions) == indexes,
               "indexes are read back as written");
  return 0;
}

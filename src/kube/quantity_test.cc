#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/resources.h"
#include "kube/test_support.h"

namespace cadre::kube {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

struct Case {
  std::string text;
  std::int64_t milli;
  std::int64_t value;
};

class Quantities : public testing::TestWithParam<Case> {};

TEST_P(Quantities, AreReadAsKubernetesReadsThem) {
  const Result<Quantity> quantity = ParseQuantity(GetParam().text);
  ASSERT_TRUE(quantity.has_value()) << quantity.error().message;
  EXPECT_EQ(quantity->milli, GetParam().milli);
  EXPECT_EQ(quantity->value, GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Quantities,
    testing::Values(Case{"0", 0, 0}, Case{"2", 2000, 2}, Case{"500m", 500, 1}, Case{"1.5", 1500, 2},
                    Case{"0.1m", 1, 1},  // rounded up: who asks for some gets some
                    Case{"1n", 1, 1}, Case{"1k", 1'000'000, 1000}, Case{"1M", 1'000'000'000, 1'000'000},
                    Case{"64Ki", 65'536'000, 65'536}, Case{"0.5Ki", 512'000, 512},
                    Case{"1.5Gi", 1'610'612'736'000, 1'610'612'736}, Case{"1e3", 1'000'000, 1000},
                    Case{"12E2", 1'200'000, 1200}, Case{"1e-3", 1, 1}, Case{"1e+2", 100'000, 100},
                    Case{"1E", kMax, 1'000'000'000'000'000'000}, Case{"+7", 7000, 7}, Case{"-3", -3000, -3},
                    Case{".5", 500, 1}, Case{"5.", 5000, 5}, Case{"007", 7000, 7},
                    Case{"9223372036854775807", kMax, kMax}, Case{"8Ei", kMax, kMax},
                    Case{"1e40", kMax, kMax}, Case{"-1e40", -kMax, -kMax}, Case{"1e-40", 1, 1},
                    Case{"0.00000000000000000000000000000001", 1, 1},
                    Case{"1.0000000000000000000000000000000", 1000, 1}));

class NoQuantities : public testing::TestWithParam<std::string> {};

TEST_P(NoQuantities, AreRefused) {
  EXPECT_FALSE(ParseQuantity(GetParam()).has_value());
}

INSTANTIATE_TEST_SUITE_P(Table, NoQuantities,
                         testing::Values("", "x", "m", ".", "-", "1x", "1 Gi", "1gi", "1K", "1kB", "1.2.3",
                                         "1e", "1e+", "1e1.5", "0x10", "--1", "1i", "${CPU}", "1GiB"));

TEST(ParseQuantity, SaysWhatIsWrongAndWhatIsExpected) {
  EXPECT_EQ(ParseQuantity("1x").error().message, "\"1x\" is not a quantity, expected e.g. 500m, 2 or 64Gi");
}

TEST(ParseAmount, CpuIsInThousandths) {
  EXPECT_EQ(*ParseAmount("cpu", "1.5"), 1500);
}
TEST(ParseAmount, MemoryIsInBytes) {
  EXPECT_EQ(*ParseAmount("memory", "1Ki"), 1024);
}
TEST(ParseAmount, OfExtendedResourcesThereAreNoParts) {
  EXPECT_EQ(ParseAmount("nvidia.com/gpu", "500m").error().message,
            "\"500m\" of nvidia.com/gpu: must be a whole number");
  EXPECT_EQ(*ParseAmount("nvidia.com/gpu", "2000m"), 2);
}

TEST(ParseAmount, ExtendedResourcesAreCounted) {
  EXPECT_EQ(*ParseAmount("nvidia.com/gpu", "8"), 8);
}

TEST(FormatAmount, CpuIsInWholeCpus) {
  EXPECT_EQ(FormatAmount("cpu", 1500), "1.5 CPU");
  EXPECT_EQ(FormatAmount("cpu", 4000), "4 CPU");
  EXPECT_EQ(FormatAmount("cpu", 1), "0.001 CPU");
}
TEST(FormatAmount, MemoryIsInBinaryUnits) {
  EXPECT_EQ(FormatAmount("memory", std::int64_t{64} << 30), "64 GiB memory");
}
TEST(FormatAmount, OtherResourcesAreCounts) {
  EXPECT_EQ(FormatAmount("nvidia.com/gpu", 8), "8 nvidia.com/gpu");
}

TEST(FormatAmounts, JoinsWithAndPutsExtendedResourcesLast) {
  EXPECT_EQ(FormatAmounts({{"amd.com/gpu", 1}, {"cpu", 4000}, {"memory", std::int64_t{16} << 30}}),
            "4 CPU, 16 GiB memory and 1 amd.com/gpu");
}
TEST(FormatAmounts, LeavesOutZerosAndPods) {
  EXPECT_EQ(FormatAmounts({{"cpu", 1000}, {"memory", 0}, {"pods", 1}}), "1 CPU");
}
TEST(FormatAmounts, OfNothingSaysSo) {
  EXPECT_EQ(FormatAmounts({{"pods", 1}}), "nothing");
}

RC_GTEST_PROP(QuantityProperties, AWholeNumberIsItself, (std::int64_t number)) {
  const Result<Quantity> quantity = ParseQuantity(fmt::format("{}", number));
  RC_ASSERT(quantity.has_value());
  RC_ASSERT(quantity->value == (number == std::numeric_limits<std::int64_t>::min() ? -kMax : number));
}

RC_GTEST_PROP(QuantityProperties, ThousandthsRoundUpToTheNextWhole, ()) {
  const auto milli = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 60);
  const Result<Quantity> quantity = ParseQuantity(fmt::format("{}m", milli));
  RC_ASSERT(quantity.has_value());
  RC_ASSERT(quantity->milli == milli);
  RC_ASSERT(quantity->value == (milli + 999) / 1000);
}

RC_GTEST_PROP(QuantityProperties, BinarySuffixesAreFactorsOf1024, ()) {
  const auto number = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 20);
  const auto power = *rc::gen::inRange(1, 5);
  constexpr std::array<std::string_view, 5> kSuffixes = {"", "Ki", "Mi", "Gi", "Ti"};
  const std::string text = fmt::format("{}{}", number, kSuffixes[static_cast<std::size_t>(power)]);
  RC_ASSERT(ParseQuantity(text)->value == number << (10 * power));
}

// A fixed-point text with its digits shifted is the same amount: 1234.5678 = 12345678e-4.
RC_GTEST_PROP(QuantityProperties, AnExponentMovesTheDecimalPoint, ()) {
  const auto whole = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000);
  const auto fraction = *rc::gen::inRange(0, 10'000);
  const Result<Quantity> with_point = ParseQuantity(fmt::format("{}.{:04}", whole, fraction));
  const Result<Quantity> with_exponent = ParseQuantity(fmt::format("{}e-4", whole * 10'000 + fraction));
  RC_ASSERT(with_point->milli == with_exponent->milli);
  RC_ASSERT(with_point->value == with_exponent->value);
}

RC_GTEST_PROP(QuantityProperties, AnyTextIsReadOrRefusedWithoutFuss, (std::string text)) {
  const Result<Quantity> quantity = ParseQuantity(text);
  if (!quantity) RC_ASSERT(!quantity.error().message.empty());
}

}  // namespace
}  // namespace cadre::kube

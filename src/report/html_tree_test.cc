#include "report/html_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html_testing.h"

namespace cadre::report {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using testing_html::CountOf;
using testing_html::kRack;
using testing_html::kZone;
using testing_html::Ran;
using testing_html::Small;

TEST(HtmlTree, HasASquarePerNode) {
  EXPECT_EQ(CountOf(R"(<i class="cell )", TreeHtml(Small({}), {})), 4U);
}

TEST(HtmlTree, ColoursANodeByItsMeanLoad) {
  EXPECT_THAT(TreeHtml(Small({Ran("a", 0, 0, 100, {"n2"})}), {}),
              HasSubstr(R"(title="n2: mean 50 %, peak 50 %")"));
}

TEST(HtmlTree, CarriesTheLoadOfEverySliceForTheSlider) {
  // 50 % is 32 in hexadecimal; the second half of the 48 slices is empty.
  std::string digits;
  for (int i = 0; i < 48; ++i)
    digits += i < 24 ? "32" : "00";
  EXPECT_THAT(TreeHtml(Small({Ran("a", 0, 0, 50, {"n2"})}), {}), HasSubstr("data-l=\"" + digits + "\""));
}

TEST(HtmlTree, NamesClaimsAtTheirDomain) {
  RunReport report = Small({});
  report.claims = {{kRack, {"a", "1"}, "JobSet default/<train>", {seconds(10), std::nullopt}}};
  EXPECT_THAT(TreeHtml(report, {}),
              HasSubstr("claimed by JobSet default/&lt;train&gt;, 10 s – end of the run"));
}

TEST(HtmlTree, FindsTheDomainOfAClaimByItsWholePath) {
  RunReport report = Small({});
  report.claims = {{kZone, {"nowhere"}, "JobSet default/train", {seconds(10), std::nullopt}}};
  EXPECT_EQ(CountOf("claimed by", TreeHtml(report, {})), 0U);
}

TEST(HtmlTree, SaysWhenASquareIsMoreThanANode) {
  EXPECT_THAT(TreeHtml(Small({}), {.cells = 3}), HasSubstr("4 nodes are too many for a square each"));
}

}  // namespace
}  // namespace cadre::report

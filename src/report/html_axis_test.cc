#include "report/html_axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::report {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(TimeAxis, PlacesTimesByTheirShareOfTheRun) {
  EXPECT_EQ(TimeAxis(seconds(80)).Position(seconds(10)), "12.5%");
}

TEST(TimeAxis, ClampsWhatLiesOutside) {
  EXPECT_EQ(TimeAxis(seconds(80)).Box(seconds(40), seconds(200)), "left:50%;width:50%");
}

TEST(TimeAxis, HasRoundTicks) {
  EXPECT_EQ(TimeAxis(seconds(100)).Tick(8), seconds(15));
}

TEST(TimeAxis, StartsWithZeroAndHasNoLabelAtTheVeryEnd) {
  const std::string html = TimeAxis(hours(4)).Html(4);
  EXPECT_THAT(html, ::testing::HasSubstr(">0</span>"));
  EXPECT_THAT(html, ::testing::HasSubstr("left:75%"));
  EXPECT_THAT(html, ::testing::Not(::testing::HasSubstr("left:100%")));
}

TEST(PercentText, NeverRoundsToNothingOrToAll) {
  EXPECT_EQ(PercentText(0.001), "1 %");
  EXPECT_EQ(PercentText(0.999), "99 %");
  EXPECT_EQ(PercentText(0), "0 %");
  EXPECT_EQ(PercentText(1), "100 %");
}

}  // namespace
}  // namespace cadre::report

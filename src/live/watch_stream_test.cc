#include "live/watch_stream.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::live {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string Line(std::string_view type, std::string_view name, int version) {
  return fmt::format(
      R"({{"type":"{}","object":{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}",)"
      R"("namespace":"d","uid":"u-{}","resourceVersion":"{}"}},"spec":{{"containers":[{{"name":"c"}}]}}}}}})"
      "\n",
      type, name, name, version);
}

std::string Said(const std::vector<drive::WatchEvent>& events) {
  std::string text;
  for (const drive::WatchEvent& event : events) {
    if (const auto* change = std::get_if<drive::WatchChange>(&event); change != nullptr)
      text += fmt::format("{}{}@{} ", change->deleted ? "-" : "+", change->object.Meta().name,
                          change->object.Meta().resource_version);
    if (const auto* bookmark = std::get_if<drive::WatchBookmark>(&event); bookmark != nullptr)
      text += fmt::format("mark@{} ", bookmark->resource_version);
    if (const auto* end = std::get_if<drive::WatchEnd>(&event); end != nullptr)
      text += end->expired ? "expired " : "end ";
  }
  return text;
}

TEST(WatchStream, ReadsEventsWhereverThePiecesAreCut) {
  const std::string whole = Line("ADDED", "a", 1) + Line("MODIFIED", "a", 2) + Line("DELETED", "a", 3);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    WatchStream stream(kube::Kind::kPod, false);
    std::string said = Said(stream.Append(whole.substr(0, cut)));
    said += Said(stream.Append(whole.substr(cut)));
    ASSERT_EQ(said, "+a@1 +a@2 -a@3 ") << "cut at " << cut;
  }
}

TEST(WatchStream, TakesThePositionOfABookmarkWhoseObjectIsNoWholeOne) {
  WatchStream stream(kube::Kind::kPod, false);
  EXPECT_EQ(
      Said(stream.Append(R"({"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"77"},)"
                         R"("spec":{"containers":null}}})"
                         "\n")),
      "mark@77 ");
}

TEST(WatchStream, EndsExpiredWhenTheVersionIsTooOld) {
  WatchStream stream(kube::Kind::kPod, false);
  EXPECT_EQ(Said(stream.Append(
                R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"m"}})"
                "\n")),
            "expired ");
}

TEST(WatchStream, EndsWithoutThatOnAnyOtherError) {
  WatchStream stream(kube::Kind::kPod, false);
  EXPECT_EQ(Said(stream.Append(R"({"type":"ERROR","object":{"kind":"Status","code":500,"message":"m"}})"
                               "\n" +
                               Line("ADDED", "a", 1))),
            "end ");
}

TEST(WatchStream, LeavesOutWhatItCannotReadAndSaysSo) {
  WatchStream stream(kube::Kind::kPod, false);
  const std::string bad = R"({"type":"ADDED","object":{"metadata":{"name":"bad"},"spec":{"containers":7}}})"
                          "\n";
  EXPECT_EQ(Said(stream.Append(bad + Line("ADDED", "a", 2))), "+a@2 ");
  EXPECT_THAT(stream.TakeProblems(), ElementsAre(HasSubstr("spec.containers")));
  EXPECT_THAT(stream.TakeProblems(), IsEmpty());
}

TEST(WatchStream, BoundsWhatItHolds) {
  WatchStream stream(kube::Kind::kPod, false);
  EXPECT_EQ(Said(stream.Append(std::string(WatchStream::kMostBytes + 1, 'x'))), "end ");
}

TEST(WatchStream, EndsWhenFramesOfProtobufLoseTheirShape) {
  WatchStream stream(kube::Kind::kPod, true);
  EXPECT_EQ(Said(stream.Append("\xff\xff\xff\xff....")), "end ");
}

}  // namespace
}  // namespace cadre::live

#include "app/mirror.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/testing.h"
#include "kube/decode.h"

namespace cadre::app {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Duration kHeld{100};
const Time kStart{std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)};

kube::Object Pod(const std::string& name, std::uint64_t version, const std::string& uid,
                 const std::string& node = "") {
  json::object pod = {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       {{"name", name},
        {"namespace", "default"},
        {"uid", uid},
        {"resourceVersion", std::to_string(version)}}},
      {"spec", {{"containers", json::array{json::object{{"name", "main"}, {"image", "x"}}}}}}};
  if (!node.empty()) pod["spec"].as_object()["nodeName"] = node;
  return *kube::Decode(kube::Kind::kPod, std::move(pod));
}

class MirrorTest : public ::testing::Test {
 protected:
  MirrorTest() {
    mirror_.AddWriteObserver([this](const drive::WriteRecord& record) {
      const kube::Object& object = record.after != nullptr ? *record.after : *record.before;
      const auto* bind = std::get_if<drive::Bind>(&record.effect.what);
      const std::string what = record.before == nullptr  ? "made"
                               : record.after == nullptr ? "gone"
                               : bind != nullptr         ? "bound by " + std::string(record.user)
                                                         : "changed";
      seen_.push_back(object.Meta().name + "/" + object.Meta().uid + " " + what);
    });
  }

  void Hear(Duration at, std::vector<drive::Event> events) { mirror_.Step(kStart + at, events); }

  int changes_ = 0;
  Mirror mirror_{kHeld, [this] { ++changes_; }};
  std::vector<std::string> seen_;
};

TEST_F(MirrorTest, HandsChangesOnInTheOrderOfTheirVersionsOnceTheyWereHeldBack) {
  Hear(Duration{0}, {drive::Changed{Pod("late", 7, "a")}, drive::Changed{Pod("early", 5, "b")}});
  EXPECT_THAT(seen_, IsEmpty());
  Hear(kHeld, {});
  EXPECT_THAT(seen_, ElementsAre("early/b made", "late/a made"));
  EXPECT_EQ(changes_, 1);
}

TEST_F(MirrorTest, WhatIsDueTakesOlderVersionsThatCameLaterAlong) {
  Hear(Duration{0}, {drive::Changed{Pod("late", 7, "a")}});
  Hear(Duration{90}, {drive::Changed{Pod("early", 5, "b")}});
  Hear(kHeld, {});
  EXPECT_THAT(seen_, ElementsAre("early/b made", "late/a made"));
}

TEST_F(MirrorTest, KnowsWhoBoundAPodWhenThatWasNotedBefore) {
  mirror_.NoteBind({{kube::Kind::kPod, "default", "p"}, "n-1", {}}, "cadre-scheduler");
  Hear(Duration{0}, {drive::Changed{Pod("p", 1, "a")}, drive::Changed{Pod("p", 2, "a", "n-1")},
                     drive::Changed{Pod("q", 3, "b")}, drive::Changed{Pod("q", 4, "b", "n-1")}});
  Hear(kHeld, {});
  EXPECT_THAT(seen_,
              ElementsAre("p/a made", "p/a bound by cadre-scheduler", "q/b made", "q/b bound by others"));
}

TEST_F(MirrorTest, APodOfTheSameNameAndAnotherUidIsNotTheOneBefore) {
  Hear(Duration{0}, {drive::Changed{Pod("p", 1, "a")}, drive::Changed{Pod("p", 3, "b")},
                     drive::Changed{.object = Pod("p", 4, "a"), .deleted = true}});
  Hear(kHeld, {});
  EXPECT_THAT(seen_, ElementsAre("p/a made", "p/a gone", "p/b made"));
  EXPECT_EQ(mirror_.Find(kube::Kind::kPod, "default", "p")->Meta().uid, "b");
}

TEST_F(MirrorTest, IsCompleteWhenEveryKindIsListedAndNothingIsHeldBack) {
  for (const kube::Kind kind : mirror_.Kinds()) {
    EXPECT_FALSE(mirror_.IsComplete());
    Hear(Duration{0}, {drive::Listed{kind}});
  }
  EXPECT_TRUE(mirror_.IsComplete());
  Hear(Duration{1}, {drive::Changed{Pod("p", 1, "a")}});
  EXPECT_FALSE(mirror_.IsComplete());
}

}  // namespace
}  // namespace cadre::app

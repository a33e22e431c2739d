#include "drive/effect.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace cadre::drive {
namespace {

Effect Of(What what) {
  Effect effect;
  effect.what = std::move(what);
  return effect;
}

TEST(EffectText, OfABindNamesPodAndNode) {
  EXPECT_EQ(ToString(Of(Bind{{kube::Kind::kPod, "default", "web-0"}, "node-3", {}})),
            "bind default/web-0 -> node-3");
}

TEST(EffectText, OfACreationNamesTheKind) {
  EXPECT_EQ(ToString(Of(Create{kube::Kind::kJob, "ns", {{"metadata", {{"name", "train"}}}}})),
            "create Job ns/train");
}

TEST(EffectText, OfACreationWithAGeneratedNameEndsInAStar) {
  EXPECT_EQ(ToString(Of(Create{kube::Kind::kPod, "ns", {{"metadata", {{"generateName", "w-"}}}}})),
            "create Pod ns/w-*");
}

TEST(EffectText, OfAPatchShowsIt) {
  EXPECT_EQ(ToString(Of(Patch{{kube::Kind::kNode, "", "n1"}, {{"spec", {{"unschedulable", true}}}}})),
            R"(patch Node n1 {"spec":{"unschedulable":true}})");
}

TEST(EffectText, ShowsPreconditionsAndWhatItFollows) {
  Effect effect = Of(Delete{{kube::Kind::kPod, "ns", "p"}, Propagation::kForeground, 0});
  effect.uid = "u1";
  effect.resource_version = 7;
  effect.after = EffectId{3};
  EXPECT_EQ(ToString(effect), "delete Pod ns/p foreground grace 0 s if uid u1 if version 7 after #3");
}

TEST(EffectText, OfANoteIsItsWords) {
  EXPECT_EQ(ToString(Of(Note{{kube::Kind::kJob, "ns", "j"}, "u", true, "TooBig", "needs 3 nodes"})),
            "note warning Job ns/j TooBig: needs 3 nodes");
}

}  // namespace
}  // namespace cadre::drive

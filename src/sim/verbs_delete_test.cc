// Deletion: grace, finalizers, propagation. What is expected was measured on Kubernetes 1.36.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/json_util.h"
#include "sim/sim_testing.h"

namespace cadre::sim {
namespace {

using drive::Outcome;
using drive::Propagation;
using kube::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DeleteObject : public MemoryApiFixture {
 protected:
  // Records what a watcher of this kind sees from now on: "+name" or "-name".
  void Watch(Kind kind) {
    handle_ = api_.Watch(kind, api_.revision(), [this](const drive::WatchEvent& event) {
      const auto& change = std::get<drive::WatchChange>(event);
      const kube::ObjectMeta& meta = change.object.Meta();
      seen_.push_back((change.deleted ? "-" : "+") + meta.name +
                      (meta.deletion_timestamp ? " deleting" : ""));
    });
  }
  const std::vector<std::string>& Seen() {
    clock_.Run(clock_.Now());
    return seen_;
  }
  drive::WriteResult Delete(Kind kind, std::string name, Propagation propagation = Propagation::kBackground,
                            std::optional<std::int64_t> grace = {}, std::string uid = {}) {
    return Write(drive::Delete{{kind, "ns", std::move(name)}, propagation, grace}, std::move(uid));
  }
  void SetFinalizers(Kind kind, std::string name, json::array finalizers) {
    const auto result = Write(
        drive::Patch{{kind, "ns", std::move(name)}, {{"metadata", {{"finalizers", std::move(finalizers)}}}}});
    ASSERT_EQ(result.outcome, Outcome::kDone) << result.message;
  }
  std::int64_t GraceOf(std::string_view pod) {
    return IntOf(Find(Kind::kPod, pod)->raw->at("metadata").get_object(), "deletionGracePeriodSeconds", -1);
  }

  std::unique_ptr<drive::WatchHandle> handle_;
  std::vector<std::string> seen_;
};

TEST_F(DeleteObject, OfAJobWithoutFinalizersIsOneEvent) {
  CreatedJob("j");
  Watch(Kind::kJob);
  EXPECT_EQ(Delete(Kind::kJob, "j").outcome, Outcome::kDone);
  EXPECT_THAT(Seen(), ElementsAre("-j"));
  EXPECT_EQ(Find(Kind::kJob, "j"), nullptr);
}

TEST_F(DeleteObject, OfAnUnboundPodIsAMarkAndThenTheEnd) {
  CreatedPod("a");
  Watch(Kind::kPod);
  Delete(Kind::kPod, "a", Propagation::kBackground, 30);
  EXPECT_THAT(Seen(), ElementsAre("+a deleting", "-a deleting"));
}

TEST_F(DeleteObject, CarriesARevisionOfItsOwn) {
  CreatedJob("j");
  std::uint64_t version = 0;
  const auto handle = api_.Watch(Kind::kJob, api_.revision(), [&](const drive::WatchEvent& event) {
    version = std::get<drive::WatchChange>(event).object.Meta().resource_version;
  });
  Delete(Kind::kJob, "j");
  clock_.Run(clock_.Now());
  EXPECT_EQ(version, api_.revision());
}

TEST_F(DeleteObject, OfABoundPodWaitsForItsKubelet) {
  CreatedPod("a");
  Bind("a", "n1");
  Delete(Kind::kPod, "a");
  EXPECT_EQ(Pod("a").metadata.deletion_timestamp, kStart + std::chrono::seconds(30));
  EXPECT_EQ(GraceOf("a"), 30);
  EXPECT_EQ(Pod("a").metadata.generation, 2);
  Delete(Kind::kPod, "a", Propagation::kBackground, 0);
  EXPECT_EQ(Find(Kind::kPod, "a"), nullptr);
}

TEST_F(DeleteObject, OfABoundPodAgainOnlyShortensItsGrace) {
  CreatedPod("a");
  Bind("a", "n1");
  Delete(Kind::kPod, "a");
  clock_.Run(kStart + Duration{3'000});
  const std::uint64_t before = api_.revision();
  EXPECT_EQ(Delete(Kind::kPod, "a", Propagation::kBackground, 60).outcome, Outcome::kDone);
  EXPECT_EQ(Delete(Kind::kPod, "a").outcome, Outcome::kDone);
  EXPECT_EQ(api_.revision(), before) << "longer or equal: ignored";
  Delete(Kind::kPod, "a", Propagation::kBackground, 5);
  EXPECT_EQ(Pod("a").metadata.deletion_timestamp, kStart + std::chrono::seconds(5))
      << "from the first deletion on";
  EXPECT_EQ(GraceOf("a"), 5);
}

TEST_F(DeleteObject, OfABoundPodThatHasEndedNeedsNoKubelet) {
  CreatedPod("a");
  Bind("a", "n1");
  Write(drive::PatchStatus{PodTarget("a"), {{"status", {{"phase", "Succeeded"}}}}});
  Delete(Kind::kPod, "a");
  EXPECT_EQ(Find(Kind::kPod, "a"), nullptr);
}

TEST_F(DeleteObject, WaitsForFinalizers) {
  CreatedJob("j");
  SetFinalizers(Kind::kJob, "j", {"x.y/z"});
  Watch(Kind::kJob);
  Delete(Kind::kJob, "j");
  EXPECT_THAT(Seen(), ElementsAre("+j deleting"));
  SetFinalizers(Kind::kJob, "j", {});
  EXPECT_THAT(Seen(), ElementsAre("+j deleting", "-j deleting"));
}

TEST_F(DeleteObject, OfAPodWithGraceLeftIsNotEndedByItsLastFinalizer) {
  CreatedPod("a");
  SetFinalizers(Kind::kPod, "a", {"x.y/z"});
  Bind("a", "n1");
  Delete(Kind::kPod, "a");
  SetFinalizers(Kind::kPod, "a", {});
  EXPECT_NE(Find(Kind::kPod, "a"), nullptr) << "its kubelet ends it";
  Delete(Kind::kPod, "a", Propagation::kBackground, 0);
  EXPECT_EQ(Find(Kind::kPod, "a"), nullptr);
}

TEST_F(DeleteObject, ForbidsNewFinalizers) {
  CreatedJob("j");
  SetFinalizers(Kind::kJob, "j", {"x.y/z"});
  Delete(Kind::kJob, "j");
  const auto result = Write(drive::Patch{{Kind::kJob, "ns", "j"},
                                         {{"metadata", {{"finalizers", json::array{"x.y/z", "x.y/more"}}}}}});
  EXPECT_EQ(result.outcome, Outcome::kRejected);
  EXPECT_THAT(result.message, HasSubstr("no new finalizers can be added"));
}

TEST_F(DeleteObject, InTheForegroundLeavesItToTheGarbageCollector) {
  CreatedJob("j");
  Delete(Kind::kJob, "j", Propagation::kForeground);
  const kube::Object* job = Find(Kind::kJob, "j");
  ASSERT_NE(job, nullptr);
  EXPECT_THAT(job->Meta().finalizers, ElementsAre("foregroundDeletion"));
  EXPECT_EQ(job->Meta().generation, 2);
  EXPECT_TRUE(job->Meta().deletion_timestamp);
}

TEST_F(DeleteObject, InTheBackgroundOverridesTheForeground) {
  CreatedJob("j");
  Delete(Kind::kJob, "j", Propagation::kForeground);
  Delete(Kind::kJob, "j", Propagation::kBackground);
  EXPECT_EQ(Find(Kind::kJob, "j"), nullptr);
}

TEST_F(DeleteObject, ThatOrphansLeavesItToTheGarbageCollector) {
  CreatedJob("j");
  Delete(Kind::kJob, "j", Propagation::kOrphan);
  EXPECT_THAT(Find(Kind::kJob, "j")->Meta().finalizers, ElementsAre("orphan"));
}

TEST_F(DeleteObject, WithAnotherUidIsAConflict) {
  CreatedPod("a");
  const auto result = Delete(Kind::kPod, "a", Propagation::kBackground, {}, "other");
  EXPECT_EQ(result.outcome, Outcome::kConflict);
  EXPECT_THAT(result.message, HasSubstr("the UID in the precondition (other) does not match"));
  EXPECT_NE(Find(Kind::kPod, "a"), nullptr);
}

TEST_F(DeleteObject, OfWhatIsNotThereIsGone) {
  EXPECT_EQ(Delete(Kind::kPod, "a").outcome, Outcome::kGone);
}

TEST_F(DeleteObject, GivesTheNameFreeForAnotherUid) {
  const std::string old_uid = CreatedPod("a").Meta().uid;
  Delete(Kind::kPod, "a");
  EXPECT_NE(CreatedPod("a").Meta().uid, old_uid);
}

}  // namespace
}  // namespace cadre::sim

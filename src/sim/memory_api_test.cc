// Lists, watches, latency, notes, loading: the API server around its verbs.
#include "sim/memory_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/sim_testing.h"

namespace cadre::sim {
namespace {

using drive::Outcome;
using kube::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Time kStart{std::chrono::milliseconds(1'764'660'000'000)};

// An API with options of its own and a record of what one watcher of pods sees.
class Api : public ::testing::Test {
 protected:
  void Make(MemoryApiOptions options) { api_ = std::make_unique<MemoryApi>(clock_, std::move(options)); }
  std::uint64_t Create(std::string_view name) {
    const auto result = api_->CreateNow("t", Kind::kPod, PodBody(name), "ns");
    EXPECT_EQ(result.outcome, Outcome::kDone) << result.message;
    return result.object->Meta().resource_version;
  }
  void Watch(std::uint64_t from) {
    handle_ = api_->Watch(Kind::kPod, from, [this](const drive::WatchEvent& event) { Record(event); });
  }
  void Record(const drive::WatchEvent& event) {
    if (const auto* end = std::get_if<drive::WatchEnd>(&event)) {
      seen_.emplace_back(end->expired ? "expired" : "ended");
    } else if (const auto* bookmark = std::get_if<drive::WatchBookmark>(&event)) {
      seen_.push_back(fmt::format("bookmark {}", bookmark->resource_version));
    } else {
      seen_.push_back(std::get<drive::WatchChange>(event).object.Meta().name);
    }
  }
  void Settle() { clock_.Run(clock_.Now()); }

  VirtualClock clock_{kStart};
  std::unique_ptr<MemoryApi> api_ = std::make_unique<MemoryApi>(clock_);
  std::unique_ptr<drive::WatchHandle> handle_;
  std::vector<std::string> seen_;
};

TEST_F(Api, ListsSortedByNameWithTheRevisionToWatchFrom) {
  Create("b");
  const std::uint64_t last = Create("a");
  drive::ListResult list;
  api_->List(Kind::kPod, [&](Result<drive::ListResult> result) { list = *std::move(result); });
  ASSERT_THAT(list.objects, IsEmpty()) << "never from inside the call";
  Settle();
  ASSERT_THAT(list.objects, SizeIs(2));
  EXPECT_EQ(list.objects[0].Meta().name, "a");
  EXPECT_EQ(list.resource_version, last);
}

TEST_F(Api, ShowsAWatcherWhatHappensAfterItsVersionInOrder) {
  Create("a");
  const std::uint64_t from = Create("b");
  Watch(from);
  Create("c");
  Create("d");
  ASSERT_THAT(seen_, IsEmpty()) << "never from inside the call";
  Settle();
  EXPECT_THAT(seen_, ElementsAre("c", "d"));
}

TEST_F(Api, ReplaysWhatAWatcherMissed) {
  const std::uint64_t from = Create("a");
  Create("b");
  Watch(from);
  Settle();
  EXPECT_THAT(seen_, ElementsAre("b"));
}

TEST_F(Api, ShowsAWatcherOnlyItsKind) {
  Create("a");
  Watch(api_->revision());
  api_->CreateNow("t", Kind::kNode, NodeBody("n1", {}));
  Settle();
  EXPECT_THAT(seen_, IsEmpty());
}

TEST_F(Api, ShowsNothingToAWatcherThatLetGo) {
  Watch(0);
  Create("a");
  handle_.reset();
  Settle();
  EXPECT_THAT(seen_, IsEmpty());
}

TEST_F(Api, GivesAllWatchersTheSameDecodedObject) {
  std::vector<const void*> bodies;
  const auto record = [&](const drive::WatchEvent& event) {
    bodies.push_back(std::get<drive::WatchChange>(event).object.body.get());
  };
  const auto one = api_->Watch(Kind::kPod, 0, record);
  const auto two = api_->Watch(Kind::kPod, 0, record);
  Create("a");
  Settle();
  ASSERT_THAT(bodies, SizeIs(2));
  EXPECT_EQ(bodies[0], bodies[1]);
}

TEST_F(Api, TellsAWatcherFromATooOldVersionToListAgain) {
  Create("a");
  Create("b");
  api_->Compact();
  Watch(1);
  Settle();
  EXPECT_THAT(seen_, ElementsAre("expired"));
}

TEST_F(Api, LetsAWatcherResumeWhereNothingWasLost) {
  const std::uint64_t from = Create("a");
  api_->Compact();
  Watch(from);
  Create("b");
  Settle();
  EXPECT_THAT(seen_, ElementsAre("b"));
}

TEST_F(Api, ExpiresAWatcherThatFellBehind) {
  Make({.watch_latency = Duration{1'000}});
  Watch(0);
  Create("a");
  api_->Compact();
  Create("b");
  clock_.Run(kStart + Duration{1'000});
  EXPECT_THAT(seen_, ElementsAre("expired"));
}

TEST_F(Api, KeepsOnlyABoundedHistory) {
  Make({.history_kept = 2});
  std::vector<std::uint64_t> versions;
  for (const char* name : {"a", "b", "c", "d"})
    versions.push_back(Create(name));
  Watch(versions[0]);
  Settle();
  EXPECT_THAT(seen_, ElementsAre("expired"));
  seen_.clear();
  Watch(versions[1]);
  Settle();
  EXPECT_THAT(seen_, ElementsAre("c", "d"));
}

TEST_F(Api, KeepsHistoryThatASlowWatcherStillNeeds) {
  Make({.watch_latency = Duration{1'000}, .history_kept = 1});
  Watch(0);
  for (const char* name : {"a", "b", "c"})
    Create(name);
  clock_.Run(kStart + Duration{1'000});
  EXPECT_THAT(seen_, ElementsAre("a", "b", "c"));
}

TEST_F(Api, SendsBookmarksToWatchersThatAreUpToDate) {
  Watch(0);
  api_->CreateNow("t", Kind::kNode, NodeBody("n1", {}));
  api_->SendBookmarks();
  Settle();
  EXPECT_THAT(seen_, ElementsAre("bookmark 1"));
}

// --- Latency

TEST_F(Api, CarriesOutAndAnswersAWriteWhenItsTimeHasCome) {
  Make({.request_latency = Duration{10}, .answer_latency = Duration{5}});
  std::optional<Time> answered;
  const drive::Effect create = EffectOf(drive::Create{Kind::kPod, "ns", PodBody("a")});
  api_->Write("t", create, [&](const drive::WriteResult&) { answered = clock_.Now(); });
  clock_.Run(kStart + Duration{9});
  EXPECT_EQ(api_->Count(Kind::kPod), 0U);
  clock_.Run(kStart + Duration{10});
  EXPECT_EQ(api_->Count(Kind::kPod), 1U);
  EXPECT_EQ(answered, std::nullopt);
  clock_.Run(kStart + Duration{100});
  EXPECT_EQ(answered, kStart + Duration{15});
}

TEST_F(Api, CarriesOutWritesInTheOrderTheyWereMade) {
  std::vector<std::string> answers;
  for (const char* name : {"a", "b"}) {
    api_->Write("t", EffectOf(drive::Create{Kind::kPod, "ns", PodBody(name)}),
                [&](const drive::WriteResult& result) { answers.push_back(result.object->Meta().name); });
  }
  Settle();
  EXPECT_THAT(answers, ElementsAre("a", "b"));
}

TEST_F(Api, ShowsWatchersAChangeAfterTheWatchLatency) {
  Make({.watch_latency = Duration{20}});
  Watch(0);
  Create("a");
  clock_.Run(kStart + Duration{5});
  Create("b");
  clock_.Run(kStart + Duration{20});
  EXPECT_THAT(seen_, ElementsAre("a"));
  clock_.Run(kStart + Duration{25});
  EXPECT_THAT(seen_, ElementsAre("a", "b"));
}

TEST_F(Api, CountsWhatItAnswered) {
  for (int i = 0; i < 2; ++i) {
    api_->Write("t", EffectOf(drive::Create{Kind::kPod, "ns", PodBody("a")}),
                [](const drive::WriteResult&) {});
  }
  Settle();
  EXPECT_EQ(api_->answered(Outcome::kDone), 1U);
  EXPECT_EQ(api_->answered(Outcome::kConflict), 1U);
}

// --- Notes

drive::Note NoteAbout(std::string pod, std::string message) {
  return {PodTarget(std::move(pod)), "uid", true, "Unplaceable", std::move(message)};
}

TEST_F(Api, CountsTheSameNoteOnce) {
  api_->WriteNow("cadre", EffectOf(NoteAbout("a", "no room")));
  clock_.Run(kStart + Duration{5'000});
  api_->WriteNow("cadre", EffectOf(NoteAbout("a", "no room")));
  api_->WriteNow("cadre", EffectOf(NoteAbout("a", "no room at all")));
  ASSERT_THAT(api_->notes().all(), SizeIs(2));
  const NoteRecord& first = api_->notes().all().front();
  EXPECT_EQ(first.count, 2U);
  EXPECT_EQ(first.source, "cadre");
  EXPECT_EQ(first.first, kStart);
  EXPECT_EQ(first.last, kStart + Duration{5'000});
}

TEST_F(Api, ForgetsTheOldestNoteBeyondTheBound) {
  Make({.notes_bound = 2});
  for (const char* message : {"one", "two", "three"})
    api_->WriteNow("cadre", EffectOf(NoteAbout("a", message)));
  ASSERT_THAT(api_->notes().all(), SizeIs(2));
  EXPECT_EQ(api_->notes().all().front().note.message, "two");
  EXPECT_EQ(api_->notes().forgotten(), 1U);
}

TEST_F(Api, MakesNoEventObjectsUnlessTheyAreWatched) {
  api_->WriteNow("cadre", EffectOf(NoteAbout("a", "no room")));
  EXPECT_EQ(api_->Count(Kind::kEvent), 0U);
  const auto handle = api_->Watch(Kind::kEvent, 0, [](const drive::WatchEvent&) {});
  api_->WriteNow("cadre", EffectOf(NoteAbout("a", "no room")));
  api_->WriteNow("cadre", EffectOf(NoteAbout("a", "no room")));
  ASSERT_EQ(api_->Count(Kind::kEvent), 1U);
  EXPECT_EQ(api_->All(Kind::kEvent)[0].raw->at("count"), json::value(3));
}

// --- Loading

kube::Object FromDump(Kind kind, json::object body) {
  Result<kube::Object> object = kube::Decode(kind, std::move(body));
  EXPECT_TRUE(object.has_value()) << object.error().message;
  return *object;
}

TEST_F(Api, LoadsADumpAsItIs) {
  json::object body = PodBody("a", {{"nodeName", "n1"}});
  body["metadata"] = {
      {"name", "a"}, {"namespace", "prod"}, {"uid", "u-1"}, {"creationTimestamp", "2025-01-01T00:00:00Z"}};
  body["status"] = {{"phase", "Running"}};
  EXPECT_THAT(api_->Load(std::vector{FromDump(Kind::kPod, body)}), IsEmpty());
  const kube::Object* loaded = api_->Find(Kind::kPod, "prod", "a");
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(loaded->Meta().uid, "u-1");
  EXPECT_EQ(loaded->As<kube::Pod>().status.phase, kube::PodPhase::kRunning);
  EXPECT_EQ(loaded->Meta().creation_timestamp, *ParseRfc3339("2025-01-01T00:00:00Z"));
}

TEST_F(Api, MakesUpWhatADumpLacks) {
  api_->Load(
      std::vector{FromDump(Kind::kNode, NodeBody("n1", {{"cpu", "1"}})), FromDump(Kind::kPod, PodBody("a"))});
  EXPECT_FALSE(api_->Find(Kind::kNode, "", "n1")->Meta().uid.empty());
  ASSERT_NE(api_->Find(Kind::kPod, "default", "a"), nullptr);
  EXPECT_EQ(api_->Find(Kind::kPod, "default", "a")->Meta().creation_timestamp, kStart);
}

TEST_F(Api, NamesWhatWasGivenTwiceAndLoadsTheRest) {
  const kube::Object node = FromDump(Kind::kNode, NodeBody("n1", {}));
  EXPECT_THAT(api_->Load(std::vector{node, node, FromDump(Kind::kNode, NodeBody("n2", {}))}),
              ElementsAre(HasSubstr("Node n1")));
  EXPECT_EQ(api_->Count(Kind::kNode), 2U);
}

}  // namespace
}  // namespace cadre::sim

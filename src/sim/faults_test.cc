#include "sim/faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drive/driver.h"
#include "sim/sim_testing.h"

namespace cadre::sim {
namespace {

using drive::Outcome;
using kube::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Time kStart{std::chrono::milliseconds(1'764'660'000'000)};

// What one write under these faults is answered, and whether it was carried out.
struct Attempt {
  drive::WriteResult result;
  bool carried_out = false;
};

Attempt CreateUnder(FaultOptions faults, std::string_view user = "t") {
  VirtualClock clock(kStart);
  MemoryApiOptions options;
  options.faults = std::move(faults);
  MemoryApi api(clock, options);
  Attempt attempt;
  api.Write(user, EffectOf(drive::Create{Kind::kPod, "ns", PodBody("a")}),
            [&](drive::WriteResult result) { attempt.result = std::move(result); });
  clock.Run(kStart);
  attempt.carried_out = api.Find(Kind::kPod, "ns", "a") != nullptr;
  return attempt;
}

TEST(Faults, RefuseAWriteBeforeItIsCarriedOut) {
  const Attempt attempt = CreateUnder({.refused = 1});
  EXPECT_EQ(attempt.result.outcome, Outcome::kRetryable);
  EXPECT_FALSE(attempt.carried_out);
}

TEST(Faults, LoseAWriteBeforeItIsCarriedOut) {
  const Attempt attempt = CreateUnder({.lost_before = 1});
  EXPECT_EQ(attempt.result.outcome, Outcome::kUnknown);
  EXPECT_FALSE(attempt.carried_out);
}

TEST(Faults, LoseTheAnswerOfAWriteThatWasCarriedOut) {
  const Attempt attempt = CreateUnder({.lost_after = 1});
  EXPECT_EQ(attempt.result.outcome, Outcome::kUnknown);
  EXPECT_TRUE(attempt.carried_out);
}

TEST(Faults, ConflictOnlyWhereAVersionIsAPrecondition) {
  EXPECT_EQ(CreateUnder({.conflict = 1}).result.outcome, Outcome::kDone);
}

TEST(Faults, SpareUsersThatTheyDoNotApplyTo) {
  const auto only_cadre = [](std::string_view user) { return user == "cadre"; };
  EXPECT_EQ(CreateUnder({.refused = 1, .applies_to = only_cadre}, "kubelet").result.outcome, Outcome::kDone);
  EXPECT_EQ(CreateUnder({.refused = 1, .applies_to = only_cadre}, "cadre").result.outcome,
            Outcome::kRetryable);
}

TEST(Faults, EndAtTheirTime) {
  EXPECT_EQ(CreateUnder({.until = kStart, .refused = 1}).result.outcome, Outcome::kDone);
}

TEST(Faults, AreTheSameForTheSameSeed) {
  const auto draws = [](std::uint64_t seed) {
    Faults faults(
        {.seed = seed, .refused = 0.2, .lost_before = 0.2, .watch_delayed = 0.3, .watch_repeated = 0.3});
    std::vector<int> all;
    for (int i = 0; i < 200; ++i) {
      all.push_back(static_cast<int>(faults.OnWrite(kStart, "t", {})));
      all.push_back(static_cast<int>(faults.OnWatchEvent(kStart)));
    }
    return all;
  };
  EXPECT_EQ(draws(7), draws(7));
  EXPECT_NE(draws(7), draws(8));
}

// What a watcher sees of one change under these faults.
std::vector<std::string> SeenUnder(FaultOptions faults, Duration within = Duration{0}) {
  VirtualClock clock(kStart);
  MemoryApiOptions options;
  options.faults = std::move(faults);
  MemoryApi api(clock, options);
  std::vector<std::string> seen;
  const auto handle = api.Watch(Kind::kPod, 0, [&](const drive::WatchEvent& event) {
    const auto* end = std::get_if<drive::WatchEnd>(&event);
    seen.emplace_back(end == nullptr ? "change" : end->expired ? "expired" : "ended");
  });
  api.CreateNow("t", Kind::kPod, PodBody("a"), "ns");
  clock.Run(kStart + within);
  return seen;
}

TEST(Faults, RepeatAWatchEvent) {
  EXPECT_THAT(SeenUnder({.watch_repeated = 1}), ElementsAre("change", "change"));
}

TEST(Faults, EndAWatch) {
  EXPECT_THAT(SeenUnder({.watch_ended = 1}), ElementsAre("ended"));
}

TEST(Faults, ExpireAWatch) {
  EXPECT_THAT(SeenUnder({.watch_expired = 1}), ElementsAre("expired"));
}

TEST(Faults, DelayAWatchEventButNotForEver) {
  FaultOptions faults{.until = kStart + Duration{10'000}, .watch_delayed = 1, .longest_delay = Duration{100}};
  EXPECT_THAT(SeenUnder(faults, Duration{0}), IsEmpty());
  EXPECT_THAT(SeenUnder(faults, Duration{10'100}), ElementsAre("change"));
}

}  // namespace
}  // namespace cadre::sim

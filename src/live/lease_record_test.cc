#include "live/lease_record.h"

#include <gtest/gtest.h>

#include "live/live_testing.h"

namespace cadre::live {
namespace {

constexpr std::string_view kLease =
    R"({"metadata":{"resourceVersion":"7"},"spec":{"holderIdentity":"a","leaseDurationSeconds":15,)"
    R"("acquireTime":"2026-01-01T00:00:00.000000Z","renewTime":"2026-01-01T00:00:05.000000Z","leaseTransitions":3}})";
const Time kNow = Time(std::chrono::sys_days(std::chrono::year(2026) / 1 / 1)) + std::chrono::seconds(9);

TEST(LeaseRecord, IsReadAsItIsWritten) {
  const Result<Lease> lease = ReadLease(kLease);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->record, (LeaseRecord{"a", std::chrono::seconds(15), "2026-01-01T00:00:00.000000Z",
                                        "2026-01-01T00:00:05.000000Z", 3}));
  const Result<Lease> again = ReadLease(LeaseBody("kube-system", "cadre", *lease));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->record, lease->record);
  EXPECT_EQ(again->resource_version, "7");
}

TEST(LeaseRecord, AnErrorNamesTheField) {
  EXPECT_EQ(ErrorOf(ReadLease("[]")), "Lease: not a JSON object");
  EXPECT_EQ(ErrorOf(ReadLease("{}")), "Lease: metadata.resourceVersion: missing");
  EXPECT_EQ(ErrorOf(ReadLease(R"({"metadata":{"resourceVersion":"7"},"spec":{"leaseDurationSeconds":-1}})")),
            "Lease: spec.leaseDurationSeconds: found -1, expected a whole number that is not negative");
}

TEST(LeaseRecord, TheSameHolderRenewsAndANewOneCountsATransition) {
  const LeaseRecord before = ReadLease(kLease)->record;
  const LeaseRecord renewed = Held(before, "a", std::chrono::seconds(15), kNow);
  EXPECT_EQ(renewed.transitions, 3U);
  EXPECT_EQ(renewed.acquire_time, before.acquire_time);
  EXPECT_EQ(renewed.renew_time, "2026-01-01T00:00:09.000000Z");
  const LeaseRecord taken = Held(before, "b", std::chrono::seconds(15), kNow);
  EXPECT_EQ(taken.transitions, 4U);
  EXPECT_EQ(taken.acquire_time, "2026-01-01T00:00:09.000000Z");
}

TEST(LeaseRecord, TheFirstHolderOfAllIsNoTransition) {
  EXPECT_EQ(Held({}, "a", std::chrono::seconds(15), kNow).transitions, 0U);
}

}  // namespace
}  // namespace cadre::live

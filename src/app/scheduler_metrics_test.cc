#include "app/scheduler_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/testing.h"
#include "sim/memory_api.h"
#include "sim/virtual_clock.h"

namespace cadre::app {
namespace {

using ::testing::HasSubstr;

class SchedulerMetricsTest : public ::testing::Test {
 protected:
  void Load(const std::vector<kube::Object>& objects) { EXPECT_TRUE(api_.Load(objects).empty()); }
  void Start() {
    driver_ = std::make_unique<drive::Driver>(std::vector<drive::Machine*>{&metrics_}, api_, clock_,
                                              drive::Limits{});
    clock_.Run(clock_.Now() + std::chrono::seconds(1));
  }
  std::string Text() { return metrics_.Text(driver_->counters()); }

  sim::VirtualClock clock_{Time{}};
  sim::MemoryApi api_{clock_};
  core::Scheduler scheduler_{core::Options{.scheduler_names = {}, .limits = {}}};
  SchedulerMetrics metrics_{scheduler_};
  std::unique_ptr<drive::Driver> driver_;
};

TEST_F(SchedulerMetricsTest, CountsBindsAndWaitingGroups) {
  Load(testing::Nodes(1, "4"));
  Load({testing::LonePod("fits", "1"), testing::LonePod("too-large", "8")});
  Start();
  EXPECT_TRUE(metrics_.HasListed());
  EXPECT_THAT(Text(), HasSubstr("cadre_scheduler_writes_total{lane=\"bind\",outcome=\"done\"} 1\n"));
  EXPECT_THAT(Text(), HasSubstr("cadre_scheduler_groups{state=\"waiting\"} 1\n"));
  EXPECT_THAT(Text(), HasSubstr("cadre_scheduler_groups{state=\"started\"} 1\n"));
  EXPECT_THAT(Text(), HasSubstr("cadre_scheduler_waiting_pods 1\n"));
  EXPECT_THAT(Text(), HasSubstr("cadre_scheduler_bind_duration_seconds_count 1\n"));
  EXPECT_THAT(Text(), HasSubstr("cadre_scheduler_pod_scheduling_duration_seconds_count 1\n"));
}

TEST_F(SchedulerMetricsTest, HasNotListedBeforeItRan) {
  EXPECT_FALSE(metrics_.HasListed());
}

}  // namespace
}  // namespace cadre::app

#include "app/scheduler_command.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::app {
namespace {

using testing::HasSubstr;

TEST(SchedulerCommand, NamesTheKubeconfigThatIsNotThere) {
  SchedulerFlags flags;
  flags.kubeconfig = "/no/such/config";
  std::ostringstream err;
  EXPECT_EQ(RunScheduler(flags, err), 2);
  EXPECT_THAT(err.str(), HasSubstr("/no/such/config"));
}

TEST(SchedulerCommand, RefusesALogLevelThatIsNone) {
  SchedulerFlags flags;
  flags.log_level = "loud";
  std::ostringstream err;
  EXPECT_EQ(RunScheduler(flags, err), 2);
  EXPECT_THAT(err.str(), HasSubstr("--log-level"));
}

}  // namespace
}  // namespace cadre::app

#include "app/scheduler_flags.h"

#include <fstream>

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cadre::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

class SchedulerFlagsTest : public testing::Test {
 protected:
  // The line as typed behind `cadre scheduler`.
  Result<SchedulerSettings> Read(const std::string& line) {
    CLI::App app;
    AddSchedulerFlags(app, flags_);
    app.parse(line);
    return ReadSettings(flags_);
  }
  std::string ErrorOf(const std::string& line) {
    const auto settings = Read(line);
    return settings ? "" : settings.error().message;
  }

  SchedulerFlags flags_;
};

TEST_F(SchedulerFlagsTest, DefaultsAreThoseOfTheCore) {
  const auto settings = Read("");
  ASSERT_TRUE(settings);
  EXPECT_THAT(settings->scheduler.scheduler_names, ElementsAre("cadre"));
  EXPECT_EQ(settings->scheduler.queue.backfill, queue::Backfill::kEasy);
  EXPECT_EQ(settings->limits.writes_per_second, 0);
  EXPECT_EQ(settings->election.lease_duration, Duration(15'000));
  EXPECT_EQ(settings->log_level, LogLevel::kInfo);
}

TEST_F(SchedulerFlagsTest, NodesAreChosenByLabels) {
  const auto settings = Read("--node-selector pool=gangs,example.com/zone=a");
  ASSERT_TRUE(settings);
  EXPECT_THAT(settings->scheduler.node_selector,
              ElementsAre(Pair("example.com/zone", "a"), Pair("pool", "gangs")));
}

TEST_F(SchedulerFlagsTest, ANodeSelectorThatIsNoneIsRefused) {
  EXPECT_THAT(ErrorOf("--node-selector gangs"), StartsWith("--node-selector: found \"gangs\""));
  EXPECT_THAT(ErrorOf("--node-selector pool=a,pool=b"), HasSubstr("given twice"));
  EXPECT_THAT(ErrorOf("--node-selector pool=a/b"), HasSubstr("label value \"a/b\""));
}

TEST_F(SchedulerFlagsTest, TheBurstIsTwiceTheRateUnlessItIsGiven) {
  EXPECT_EQ(Read("--kube-api-qps 50")->limits.burst, 100);
  EXPECT_EQ(Read("--kube-api-qps 50 --kube-api-burst 60")->limits.burst, 60);
}

TEST_F(SchedulerFlagsTest, VerbosityFourIsDebugUnlessALevelIsNamed) {
  EXPECT_EQ(Read("--v 3")->log_level, LogLevel::kInfo);
  EXPECT_EQ(Read("--v=4")->log_level, LogLevel::kDebug);
  EXPECT_EQ(Read("--v=4 --log-level warn")->log_level, LogLevel::kWarn);
  EXPECT_THAT(ErrorOf("--log-level loud"), StartsWith("--log-level: "));
}

TEST_F(SchedulerFlagsTest, ElectionTimesThatDoNotFitNameTheFlag) {
  EXPECT_THAT(ErrorOf("--leader-elect-renew-deadline 20s"),
              StartsWith("--leader-elect-lease-duration: 15 s, expected more than the renew-deadline"));
  EXPECT_THAT(ErrorOf("--leader-elect-renew-deadline soon"), StartsWith("--leader-elect-renew-deadline: "));
}

class SchedulerConfigFile : public SchedulerFlagsTest {
 protected:
  std::string Write(std::string_view fields) {
    const std::string path = testing::TempDir() + "/scheduler-config.yaml";
    std::ofstream(path) << "apiVersion: cadre.dev/v1alpha1\nkind: SchedulerConfiguration\n" << fields;
    return path;
  }
};

TEST_F(SchedulerConfigFile, HasAFieldForEachFlag) {
  const auto settings = Read("--config " + Write(R"(
clientConnection: {kubeconfig: /k, qps: 20, burst: 30}
schedulerNames: [cadre, gangs]
nodeSelector: {pool: gangs}
queue: fifo
conditionsPerSecond: 7
leaderElection:
  leaderElect: false
  leaseDuration: 30s
  renewDeadline: 20s
  retryPeriod: 3s
  resourceName: other
  resourceNamespace: cadre
bindAddress: 0.0.0.0
healthPort: 1234
logLevel: error
)"));
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(flags_.kubeconfig, "/k");
  EXPECT_EQ(settings->limits.writes_per_second, 20);
  EXPECT_EQ(settings->limits.burst, 30);
  EXPECT_THAT(settings->scheduler.scheduler_names, ElementsAre("cadre", "gangs"));
  EXPECT_THAT(settings->scheduler.node_selector, ElementsAre(Pair("pool", "gangs")));
  EXPECT_EQ(settings->scheduler.queue.backfill, queue::Backfill::kFifo);
  EXPECT_EQ(settings->scheduler.conditions_per_second, 7);
  EXPECT_FALSE(flags_.leader_elect);
  EXPECT_EQ(settings->election.lease_duration, Duration(30'000));
  EXPECT_EQ(settings->election.renew_deadline, Duration(20'000));
  EXPECT_EQ(settings->election.retry_period, Duration(3'000));
  EXPECT_EQ(settings->election.lock_name, "other");
  EXPECT_EQ(settings->election.lock_namespace, "cadre");
  EXPECT_EQ(flags_.bind_address, "0.0.0.0");
  EXPECT_EQ(flags_.health_port, 1234);
  EXPECT_EQ(settings->log_level, LogLevel::kError);
}

// The example of docs/scheduler.md changes nothing.
TEST_F(SchedulerConfigFile, OfTheDocumentHasTheDefaults) {
  std::ifstream document(CADRE_SOURCE_DIR "/docs/scheduler.md");
  const std::string text{std::istreambuf_iterator<char>(document), {}};
  const std::size_t begin = text.find("apiVersion: cadre.dev/v1alpha1");
  ASSERT_NE(begin, std::string::npos);
  const std::string path = testing::TempDir() + "/documented-config.yaml";
  std::ofstream(path) << text.substr(begin, text.find("```", begin) - begin);
  const auto given = Read("--config " + path);
  ASSERT_TRUE(given) << given.error().message;
  const SchedulerFlags with_file = flags_;
  flags_ = {};
  const auto settings = Read("");
  EXPECT_EQ(with_file.health_port, flags_.health_port);
  EXPECT_EQ(with_file.bind_address, flags_.bind_address);
  EXPECT_EQ(with_file.leader_elect, flags_.leader_elect);
  EXPECT_EQ(with_file.kubeconfig, flags_.kubeconfig);
  EXPECT_EQ(given->scheduler.scheduler_names, settings->scheduler.scheduler_names);
  EXPECT_EQ(given->scheduler.node_selector, settings->scheduler.node_selector);
  EXPECT_EQ(given->scheduler.queue.backfill, settings->scheduler.queue.backfill);
  EXPECT_EQ(given->scheduler.conditions_per_second, settings->scheduler.conditions_per_second);
  EXPECT_EQ(given->limits.writes_per_second, settings->limits.writes_per_second);
  EXPECT_EQ(given->limits.burst, settings->limits.burst);
  EXPECT_EQ(given->election.lease_duration, settings->election.lease_duration);
  EXPECT_EQ(given->election.lock_name, settings->election.lock_name);
  EXPECT_EQ(given->log_level, settings->log_level);
}

TEST_F(SchedulerConfigFile, GivesWayToFlags) {
  const auto settings = Read("--queue greedy --config " + Write("queue: fifo\n"));
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->scheduler.queue.backfill, queue::Backfill::kGreedy);
}

TEST_F(SchedulerConfigFile, ThatIsWrongEndsParsingWithItsNameAndTheField) {
  const std::string path = Write("queue: lifo\n");
  try {
    static_cast<void>(Read("--config " + path));
    FAIL() << "was accepted";
  } catch (const CLI::ParseError& error) {
    EXPECT_THAT(error.what(), HasSubstr(path + ": queue: "));
  }
  EXPECT_THROW(static_cast<void>(Read("--config /no/such/file")), CLI::ParseError);
}

}  // namespace
}  // namespace cadre::app

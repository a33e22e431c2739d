#include "app/scheduler_flags.h"

#include <array>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/config_file.h"
#include "app/queue_rule.h"
#include "base/text.h"
#include "kube/validate_rules.h"
#include "live/file.h"

namespace cadre::app {
namespace {

constexpr auto kFields = std::to_array<ConfigField>({
    {"clientConnection.kubeconfig", "--kubeconfig"},
    {"clientConnection.qps", "--kube-api-qps"},
    {"clientConnection.burst", "--kube-api-burst"},
    {"schedulerNames", "--scheduler-name"},
    {"nodeSelector", "--node-selector"},
    {"queue", "--queue"},
    {"conditionsPerSecond", "--conditions-per-second"},
    {"leaderElection.leaderElect", "--leader-elect"},
    {"leaderElection.leaseDuration", "--leader-elect-lease-duration"},
    {"leaderElection.renewDeadline", "--leader-elect-renew-deadline"},
    {"leaderElection.retryPeriod", "--leader-elect-retry-period"},
    {"leaderElection.resourceName", "--leader-elect-resource-name"},
    {"leaderElection.resourceNamespace", "--leader-elect-resource-namespace"},
    {"bindAddress", "--bind-address"},
    {"healthPort", "--health-port"},
    {"logLevel", "--log-level"},
});

constexpr ConfigFormat kFormat = {
    .api_version = "cadre.dev/v1alpha1", .kind = "SchedulerConfiguration", .fields = kFields};

// What klog's components say from there on, and Cadre too: each write.
constexpr int kDebugVerbosity = 4;

Result<void> ReadConfig(const std::string& path, CLI::App& command) {
  CADRE_TRY(const std::string text, live::ReadSmallFile(path, kMostConfigBytes));
  if (const Result<void> applied = ApplyConfig(text, kFormat, command); !applied)
    return Err("{}: {}", path, applied.error().message);
  return {};
}

void AddElectionFlags(CLI::App& command, SchedulerFlags& flags) {
  command.add_flag("--leader-elect", flags.leader_elect,
                   "Schedule only while holding a Lease (the default; --leader-elect=false: without)");
  const struct {
    const char* name;
    std::string& value;
    const char* help;
    const char* type;
  } options[] = {
      {"lease-duration", flags.lease_duration, "How long others wait after the last renewal (15s)", "TIME"},
      {"renew-deadline", flags.renew_deadline, "How long after it this one stops by itself (10s)", "TIME"},
      {"retry-period", flags.retry_period, "Between two attempts (2s)", "TIME"},
      {"resource-name", flags.resource_name, "The Lease (cadre-scheduler)", "NAME"},
      {"resource-namespace", flags.resource_namespace, "Its namespace (kube-system)", "NAME"}};
  for (const auto& option : options)
    command.add_option(fmt::format("--leader-elect-{}", option.name), option.value, option.help)
        ->type_name(option.type);
}

void AddConnectionFlags(CLI::App& command, SchedulerFlags& flags) {
  command.add_option("--kubeconfig", flags.kubeconfig, "The file that says where the cluster is")
      ->type_name("FILE");
  command.add_option("--context", flags.context, "Another context of it than the current one")
      ->type_name("NAME");
  command
      .add_option("--kube-api-qps", flags.kube_api_qps,
                  "Most writes per second; 0: as fast as the API server answers, 64 at a time (0)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  command
      .add_option("--kube-api-burst", flags.kube_api_burst,
                  "Writes at once before --kube-api-qps holds them back; 0: twice as many (0)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
}

void AddPlacementFlags(CLI::App& command, SchedulerFlags& flags) {
  command
      .add_option("--scheduler-name", flags.scheduler_names,
                  "Which pods: those of this spec.schedulerName (cadre); may be given again")
      ->type_name("NAME");
  command
      .add_option("--node-selector", flags.node_selector,
                  "Which nodes: those with all of these labels (all nodes), e.g. pool=gangs,zone=a")
      ->type_name("LABELS");
  AddQueueRule(command, flags.queue);
  command
      .add_option("--conditions-per-second", flags.conditions_per_second,
                  "Most conditions of waiting pods written per second; 0: none (200)")
      ->check(CLI::Range(0, 100'000))
      ->type_name("N");
}

void AddServingFlags(CLI::App& command, SchedulerFlags& flags) {
  command
      .add_option("--bind-address", flags.bind_address,
                  "Where /healthz, /livez, /readyz and /metrics are served, without TLS (127.0.0.1)")
      ->type_name("IP");
  command.add_option("--health-port", flags.health_port, "The port of these; 0: none (10289)")
      ->type_name("PORT");
  command.add_option("--log-level", flags.log_level, "debug, info, warn, error or off (info)")
      ->type_name("LEVEL");
  command
      .add_option(
          "--v", flags.verbosity,
          "The log's level as a number, as Kubernetes' components have it: 4 and more is debug, which "
          "has each write (0)")
      ->check(CLI::Range(0, 10))
      ->type_name("N");
}

Result<kube::StringMap> ReadLabels(std::string_view text) {
  kube::StringMap labels;
  if (text.empty()) return labels;
  for (const std::string_view pair : Split(text, ',')) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos)
      return Err("found \"{}\", expected labels such as pool=gangs,zone=a", pair);
    const std::string key(Trim(pair.substr(0, equals)));
    const std::string value(Trim(pair.substr(equals + 1)));
    if (const auto wrong = kube::WrongAsQualifiedName(key)) return Err("label key \"{}\": {}", key, *wrong);
    if (const auto wrong = kube::WrongAsLabelValue(value))
      return Err("label value \"{}\": {}", value, *wrong);
    if (!labels.emplace(key, value).second) return Err("label {} is given twice", key);
  }
  return labels;
}

Result<live::LeaderElectionOptions> ReadElection(const SchedulerFlags& flags) {
  live::LeaderElectionOptions options;
  const struct {
    const char* name;
    const std::string& text;
    Duration& value;
  } times[] = {{"lease-duration", flags.lease_duration, options.lease_duration},
               {"renew-deadline", flags.renew_deadline, options.renew_deadline},
               {"retry-period", flags.retry_period, options.retry_period}};
  for (const auto& time : times) {
    const Result<Duration> value = ParseDuration(time.text);
    if (!value) return Err("--leader-elect-{}: {}", time.name, value.error().message);
    time.value = *value;
  }
  options.lock_name = flags.resource_name;
  options.lock_namespace = flags.resource_namespace;
  if (const Result<void> fits = live::Check(options); !fits)
    return Err("--leader-elect-{}", fits.error().message);
  return options;
}

Result<LogLevel> ReadLogLevel(const SchedulerFlags& flags) {
  if (flags.log_level.empty()) return flags.verbosity >= kDebugVerbosity ? LogLevel::kDebug : LogLevel::kInfo;
  const Result<LogLevel> level = ParseLogLevel(flags.log_level);
  if (!level) return Err("--log-level: {}", level.error().message);
  return *level;
}

}  // namespace

void AddSchedulerFlags(CLI::App& command, SchedulerFlags& flags) {
  command.add_option("--config", flags.config, "A file with values of these flags, which win over it")
      ->type_name("FILE");
  AddConnectionFlags(command, flags);
  AddPlacementFlags(command, flags);
  AddElectionFlags(command, flags);
  AddServingFlags(command, flags);
  command.parse_complete_callback([&command, &flags] {
    if (flags.config.empty()) return;
    if (const Result<void> read = ReadConfig(flags.config, command); !read)
      throw CLI::ValidationError("--config", read.error().message);
  });
}

Result<SchedulerSettings> ReadSettings(const SchedulerFlags& flags) {
  SchedulerSettings settings;
  CADRE_TRY(settings.log_level, ReadLogLevel(flags));
  CADRE_TRY(settings.election, ReadElection(flags));
  Result<kube::StringMap> nodes = ReadLabels(flags.node_selector);
  if (!nodes) return Err("--node-selector: {}", nodes.error().message);
  settings.scheduler.node_selector = *std::move(nodes);
  if (!flags.scheduler_names.empty())
    settings.scheduler.scheduler_names = {flags.scheduler_names.begin(), flags.scheduler_names.end()};
  settings.scheduler.queue.backfill = BackfillOf(flags.queue);
  settings.scheduler.conditions_per_second = flags.conditions_per_second;
  settings.limits.writes_per_second = flags.kube_api_qps;
  settings.limits.burst = flags.kube_api_burst > 0 ? flags.kube_api_burst : 2 * flags.kube_api_qps;
  return settings;
}

}  // namespace cadre::app

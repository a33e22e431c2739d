#include "app/simulate_command.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/input.h"
#include "app/queue_rule.h"
#include "app/run_size.h"
#include "app/simulation.h"
#include "app/summary.h"
#include "app/terminal.h"
#include "base/text.h"
#include "base/utf8.h"
#include "report/html_page.h"
#include "report/json_text.h"
#include "report/run_json.h"
#include "report/run_text.h"
#include "topology/levels.h"

namespace cadre::app {

namespace {

constexpr int kBadInput = 2;
constexpr std::size_t kDefaultWidth = 100;

constexpr const char* kExamples = R"(Examples:
  cadre simulate -f jobs.yaml --cluster nodes.yaml
      nodes.yaml: `kubectl get nodes -o yaml`, or a short description (docs/simulate.md)
  cadre simulate -f jobs/ --nodes 1000 --per-rack 10 --racks-per-zone 10 \
                 --node cpu=64,memory=256Gi,nvidia.com/gpu=8
  cadre simulate --trace jobs.swf.gz --nodes 128 --node cpu=16,memory=64Gi
      a workload trace (Standard Workload Format, CSV): docs/traces.md
  kubectl get nodes,pods,jobs,jobsets -A -o json | cadre simulate -f - --json -
      what happens next in this cluster, as JSON

Exit codes: 0 every group ended or runs; 1 a group never ran or still waits when nothing can change any more;
2 bad input or bad flags.)";

struct Durations {
  Duration default_run{0};
  Duration start_delay{0};
  std::optional<Duration> until;
};

Result<Duration> DurationFlag(std::string_view flag, const std::string& text) {
  const Result<Duration> duration = ParseDuration(text);
  if (!duration) return Err("{}: {}", flag, duration.error().message);
  return *duration;
}

Result<Durations> ReadDurations(const SimulateFlags& flags) {
  Durations durations;
  CADRE_TRY(durations.default_run, DurationFlag("--default-duration", flags.default_duration));
  CADRE_TRY(durations.start_delay, DurationFlag("--start-delay", flags.start_delay));
  if (!flags.until.empty()) {
    CADRE_TRY(durations.until, DurationFlag("--until", flags.until));
  }
  return durations;
}

Result<topology::Levels> LevelsFlag(const SimulateFlags& flags) {
  return flags.topology.empty() ? topology::Levels::WellKnown() : topology::Levels::Parse(flags.topology);
}

struct Loaded {
  kube::Manifests manifests;
  TraceInput traces;
};

// -f may name traces too. They come last, so that their jobs are numbered after what is in the manifests.
void LoadFiles(const SimulateFlags& flags, Loaded& loaded) {
  TraceFlags traces = flags.trace;
  std::vector<std::string> named_traces;
  for (const std::string& path : flags.files) {
    if (IsTraceName(path))
      named_traces.push_back(path);
    else
      kube::LoadPath(path, loaded.manifests);
  }
  traces.files.insert(traces.files.begin(), named_traces.begin(), named_traces.end());
  loaded.traces = LoadTraces(traces, loaded.manifests);
}

Result<Loaded> LoadAll(const SimulateFlags& flags) {
  if (flags.files.empty() && flags.trace.files.empty())
    return Err(
        "give at least one file with -f, or a trace with --trace (cadre simulate --help has examples)");
  Loaded loaded;
  CADRE_TRY_VOID(LoadCluster(flags, loaded.manifests));
  LoadFiles(flags, loaded);
  return loaded;
}

bool HasNodes(const SimulationInput& input) {
  const auto is_node = [](const kube::Object& object) { return object.kind == kube::Kind::kNode; };
  return std::any_of(input.cluster.begin(), input.cluster.end(), is_node) ||
         std::any_of(input.submissions.begin(), input.submissions.end(),
                     [&](const Submission& submission) { return is_node(submission.object); });
}

// Time goes on from where a dump was taken: its latest time, in whole seconds.
Time StartOf(const SimulationInput& input, Time otherwise) {
  std::optional<Time> latest;
  const auto note = [&](const std::optional<Time>& time) {
    if (time) latest = std::max(latest.value_or(*time), *time);
  };
  for (const kube::Object& object : input.cluster) {
    note(object.Meta().creation_timestamp);
    if (object.kind != kube::Kind::kPod) continue;
    const kube::PodStatus& status = object.As<kube::Pod>().status;
    note(status.start_time);
    for (const kube::Condition& condition : status.conditions)
      note(condition.last_transition_time);
  }
  return latest.value_or(otherwise);
}

// Runs it; true when time ended the run.
bool Run(Simulation& simulation, const SimulationInput& input, const Durations& durations) {
  ProgressLine progress(StderrIsTerminal());
  simulation.OnSettled([&](Simulation& now) {
    progress.Show([&] {
      const auto groups = now.recorder().Groups();
      const auto ended =
          std::count_if(groups.begin(), groups.end(), [](const auto* group) { return group->end; });
      return fmt::format("{} of cluster time: {} of {} groups have ended", FormatDuration(now.Elapsed()),
                         ended, groups.size());
    });
  });
  simulation.Load(input.cluster);
  for (const Submission& submission : input.submissions)
    simulation.SubmitAt(submission.after, submission.object);
  if (durations.until) {
    simulation.RunUntil(*durations.until);
    if (simulation.clock().NextAt()) return true;
  }
  simulation.RunToEnd();
  return simulation.clock().NextAt().has_value();
}

report::TextOptions TextOptionsOf(const SimulateFlags& flags) {
  report::TextOptions options;
  options.gantt = flags.gantt;
  options.placements = flags.verbose;
  options.colours =
      flags.colour == "always" || (flags.colour == "auto" && StdoutIsTerminal() && TerminalHasColours());
  const std::size_t terminal = TerminalWidth();
  options.width = terminal > 0 ? terminal : kDefaultWidth;
  if (flags.width > 0) options.width = static_cast<std::size_t>(flags.width);
  return options;
}

// Before a run that may take long. What stands in the file stays until there is something to write.
Result<void> CanWrite(std::string_view flag, const std::string& path) {
  if (path.empty() || path == "-") return {};
  if (!std::ofstream(path, std::ios::binary | std::ios::app))
    return Err("{}: {} cannot be written", flag, path);
  return {};
}

Result<void> WriteFile(std::string_view flag, const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return Err("{}: {} cannot be written", flag, path);
  return {};
}

Result<void> Print(const SimulateFlags& flags, const report::RunReport& report, std::ostream& out) {
  if (flags.json != "-") out << report::ToText(report, TextOptionsOf(flags));
  if (flags.json == "-") {
    out << report::PrettyJson(report::ToJson(report));
  } else if (!flags.json.empty()) {
    CADRE_TRY_VOID(WriteFile("--json", flags.json, report::PrettyJson(report::ToJson(report))));
  }
  return flags.html.empty() ? Result<void>() : WriteFile("--html", flags.html, report::ToHtml(report));
}

// What keeps the run from starting; under --strict that is everything that would be left out.
Result<void> CheckInput(const SimulateFlags& flags, const SimulationInput& input, const TraceInput& traces) {
  if (flags.strict && !input.unknown_kinds.empty()) {
    const report::UnknownKind& kind = input.unknown_kinds.front();
    return Err(
        "{}: unknown kind {} ({}){}{}; without --strict it is left out", kind.first, kind.kind,
        kind.api_version, kind.instead.empty() ? "" : fmt::format(": {} is read, this is not", kind.instead),
        input.unknown_kinds.size() > 1 ? fmt::format(" and {} more", input.unknown_kinds.size() - 1) : "");
  }
  if (flags.strict && !input.without_controller.empty())
    return Err(
        "{}: the controller of LeaderWorkerSets is not simulated; without --strict none of its pods are "
        "made",
        FirstAndMore(input.without_controller, 1));
  if (flags.strict && !input.misread.empty())
    return Err("{}; without --strict it counts as absent", input.misread.front());
  if (flags.strict && !input.problems.empty())
    return Err("--strict: not simulated, because of what is said above");
  if (const std::optional<std::string> too_many = TooManyPods(input)) return Err("{}", *too_many);
  if (!HasNodes(input))
    return Err("there are no nodes: give --cluster FILE, or --nodes N, or Nodes among the files of -f{}",
               traces.machine.empty() ? "" : fmt::format(" ({})", traces.machine));
  return {};
}

void AddTraceOptions(CLI::App& command, TraceFlags& flags) {
  constexpr std::int64_t kMost = 1'000'000;
  command
      .add_option("--trace", flags.files,
                  "A workload trace: Standard Workload Format if its name ends in .swf, else CSV; repeatable")
      ->type_name("FILE");
  command
      .add_option("--trace-columns", flags.columns,
                  "Which column of a CSV trace is what: submit=COLUMN,duration=COLUMN:ms,gpus=COLUMN… "
                  "(docs/traces.md)")
      ->type_name("LIST");
  command
      .add_option("--trace-procs-per-pod", flags.options.procs_per_pod,
                  "SWF: one pod stands for so many processors")
      ->check(CLI::Range(std::int64_t{1}, kMost))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--trace-gpus-per-pod", flags.options.gpus_per_pod,
                  "CSV: the GPUs of a job are split into pods of at most so many")
      ->check(CLI::Range(std::int64_t{1}, kMost))
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace

CLI::App* AddSimulateCommand(CLI::App& app, SimulateFlags& flags) {
  CLI::App* command = app.add_subcommand("simulate", "What would happen to these manifests on that cluster");
  command->footer(kExamples);
  command
      ->add_option(
          "-f,--file", flags.files,
          "Manifests or a dump: a file (YAML, JSON, gzip), a folder, - for standard input, or a trace "
          "(.swf, .csv, also gzip); repeatable")
      ->type_name("FILE");
  AddTraceOptions(*command, flags.trace);
  AddClusterOptions(*command, flags);
  command
      ->add_option("--json", flags.json,
                   "Write the result as JSON; - for standard output instead of the text")
      ->type_name("FILE");
  command->add_option("--html", flags.html, "Also write the result as one HTML page that needs no network")
      ->type_name("FILE");
  command->add_option("--default-duration", flags.default_duration, "How long pods run that do not tell")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--start-delay", flags.start_delay, "From a pod's bind until it runs")
      ->type_name("TIME")
      ->capture_default_str();
  AddQueueRule(*command, flags.queue);
  command
      ->add_option(
          "--topology", flags.topology,
          "Levels of the report, coarse to fine: short names (zone,rack) or label keys; default: those "
          "found. Placing goes by what manifests ask for")
      ->type_name("LEVELS");
  command->add_option("--until", flags.until, "End after this much cluster time")->type_name("TIME");
  command->add_flag("--respect-scheduler-name", flags.respect_scheduler_name,
                    "Place only pods with schedulerName cadre; leave the others pending");
  command->add_flag("--strict", flags.strict, "Unknown kinds and every problem in the input end the program");
  command->add_flag("--gantt,!--no-gantt", flags.gantt, "The timeline (on by default)");
  command->add_flag("-v,--verbose", flags.verbose, "Also list the node of every pod");
  command->add_option("--color", flags.colour, "Colours: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  command->add_option("--width", flags.width, "Columns of the output (default: the terminal's, else 100)")
      ->check(CLI::Range(40, 1000))
      ->type_name("N");
  return command;
}

int RunSimulate(const SimulateFlags& flags, std::ostream& out, std::ostream& err) {
  const auto fail = [&](const Error& error) {
    err << "cadre simulate: " << Printable(error.message) << '\n';
    return kBadInput;
  };
  const Result<Durations> durations = ReadDurations(flags);
  if (!durations) return fail(durations.error());
  const Result<topology::Levels> levels = LevelsFlag(flags);
  if (!levels) return fail(levels.error());
  Result<Loaded> loaded = LoadAll(flags);
  if (!loaded) return fail(loaded.error());
  SimulationInput input = SortInput(loaded->manifests);
  input.notes.insert(input.notes.end(), loaded->traces.notes.begin(), loaded->traces.notes.end());
  for (const std::string& problem : input.problems)
    err << Printable(problem) << '\n';
  if (const Result<void> checked = CheckInput(flags, input, loaded->traces); !checked)
    return fail(checked.error());

  for (const auto& [flag, path] : {std::pair{"--json", &flags.json}, {"--html", &flags.html}}) {
    if (const Result<void> can = CanWrite(flag, *path); !can) return fail(can.error());
  }

  SimulationOptions options;
  options.start = StartOf(input, loaded->traces.start.value_or(options.start));
  options.default_run_time = durations->default_run;
  options.pod_start_delay = durations->start_delay;
  options.respect_scheduler_name = flags.respect_scheduler_name;
  options.queue.backfill = BackfillOf(flags.queue);
  options.levels = *levels;
  options.most_pods = PodsOfAnEndlessRun(input);
  Simulation simulation(options);
  const bool cut = Run(simulation, input, *durations);
  const report::RunReport report = Summarise(simulation, input, cut);
  if (const Result<void> printed = Print(flags, report, out); !printed) return fail(printed.error());
  return ExitCodeOf(report, flags.strict);
}

}  // namespace cadre::app

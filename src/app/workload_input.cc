#include "app/workload_input.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "app/workload_csv.h"
#include "app/workload_jobs.h"
#include "app/workload_swf.h"
#include "base/text.h"
#include "base/utf8.h"
#include "kube/gzip.h"

namespace cadre::app {

namespace {

constexpr std::size_t kLargestTrace = std::size_t{1} << 30;

std::string_view WithoutGz(std::string_view path) {
  return path.ends_with(".gz") ? path.substr(0, path.size() - 3) : path;
}

Result<std::string> ReadFile(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > kLargestTrace)
    return Err("larger than {}, which is the limit", FormatBytes(std::int64_t{kLargestTrace}));
  std::ifstream stream(path, std::ios::binary);
  if (error || !stream) return Err("cannot be opened: check that it exists and can be read");
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (stream.bad()) return Err("cannot be read to its end");
  return text;
}

// "128 nodes with 2 processors each", or what of it is known.
std::string MachineOf(const Workload& workload) {
  const auto nodes = workload.max_nodes;
  const auto procs = workload.max_procs;
  if (nodes && procs && *procs % *nodes == 0)
    return fmt::format("{} with {} each", Quantify(*nodes, "node"), Quantify(*procs / *nodes, "processor"));
  if (nodes && procs)
    return fmt::format("{} with {} in all", Quantify(*nodes, "node"), Quantify(*procs, "processor"));
  if (nodes) return Quantify(*nodes, "node");
  return procs ? Quantify(*procs, "processor") : "";
}

void Describe(const Workload& workload, TraceInput& input) {
  input.notes.insert(input.notes.end(), workload.notes.begin(), workload.notes.end());
  const std::string machine = MachineOf(workload);
  if (machine.empty()) return;
  const std::string text = fmt::format("{}: a trace of a machine of {}", workload.file, machine);
  input.notes.push_back(text);
  if (input.machine.empty()) input.machine = text;
}

}  // namespace

bool IsTraceName(std::string_view path) {
  static constexpr auto kEnds = std::to_array<std::string_view>({".swf", ".csv", ".tsv"});
  return std::any_of(kEnds.begin(), kEnds.end(),
                     [name = WithoutGz(path)](std::string_view end) { return name.ends_with(end); });
}

Result<Workload> ReadTrace(std::string_view text, const std::string& file, const TraceFlags& flags) {
  std::string unpacked;
  if (kube::IsGzip(text)) {
    Result<std::string> result = kube::Gunzip(text, kLargestTrace);
    if (!result) return std::unexpected(result.error());
    unpacked = *std::move(result);
    text = unpacked;
  }
  if (const auto checked = CheckUtf8(text); !checked)
    return Err("line {}: {}", checked.error().line, checked.error().message);
  if (WithoutGz(file).ends_with(".swf")) return ReadSwf(text, file, flags.options);
  return ReadCsv(text, file, flags.columns, flags.options);
}

TraceInput LoadTraces(const TraceFlags& flags, kube::Manifests& out) {
  TraceInput input;
  std::set<std::string> names;
  for (const std::string& file : flags.files) {
    const auto problem = [&](const std::string& message) {
      out.problems.push_back(
          {.source = {.file = file, .document = 0, .line = 0}, .field = {}, .message = message});
    };
    const Result<std::string> text = ReadFile(file);
    const Result<Workload> workload =
        text ? ReadTrace(*text, file, flags) : Result<Workload>(std::unexpected(text.error()));
    if (!workload) {
      problem(workload.error().message);
      continue;
    }
    for (const std::string& message : workload->problems)
      problem(message);
    if (workload->jobs.empty()) problem("holds no job that can be run");
    Describe(*workload, input);
    if (workload->zero) input.start = std::min(input.start.value_or(*workload->zero), *workload->zero);
    AddWorkloadJobs(*workload, names, out);
  }
  return input;
}

}  // namespace cadre::app

#include "app/workload_csv.h"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/csv_columns.h"
#include "app/csv_text.h"
#include "base/text.h"
#include "kube/resources.h"

namespace cadre::app {

namespace {

constexpr std::string_view kGpuResource = "nvidia.com/gpu";
constexpr std::string_view kAssumedCpu = "1";             // of each pod of a job that asks for nothing
constexpr double kLargestNumber = 1e15;                   // seconds, bytes: as milliseconds still an int64
constexpr std::int64_t kHighestPriority = 1'000'000'000;  // of a user's PriorityClass

class RowReader {
 public:
  RowReader(const ColumnMap& columns, const CsvRecord& record, const WorkloadOptions& options,
            Workload& workload, LineTally& tally)
      : columns_(columns), record_(record), options_(options), workload_(workload), tally_(tally) {}

  // Adds the job, or counts why not.
  void Read() {
    WorkloadJob job;
    job.line = record_.line;
    skip_ = {};
    const Result<void> read = ReadInto(job);
    if (!read)
      tally_.Problem(fmt::format("line {}, {}", record_.line, read.error().message));
    else if (!skip_.empty())
      tally_.Note(skip_, record_.line);
    else
      workload_.jobs.push_back(std::move(job));
  }

 private:
  Result<void> ReadInto(WorkloadJob& job) {
    if (const Column* name = columns_.Find(ColumnRole::kName)) job.name = Text(*name);
    CADRE_TRY(const std::optional<Duration> submit, Submit());
    if (!submit) return SkipJob("skipped: their submit time is not given");
    job.submit = *submit;
    CADRE_TRY(const std::optional<Duration> run, TimeIn(ColumnRole::kDuration));
    if (!run || *run <= Duration(0)) return SkipJob("skipped: their run time is zero or not given");
    job.run = *run;
    CADRE_TRY(const std::optional<Duration> asked, TimeIn(ColumnRole::kMaxDuration));
    if (asked && *asked > Duration(0)) job.requested = asked;
    if (job.requested && job.run > *job.requested)
      tally_.Note("running longer than they had asked for, as in the trace", record_.line);
    CADRE_TRY(const std::optional<std::int64_t> priority,
              Whole(ColumnRole::kPriority, -kHighestPriority, kHighestPriority));
    if (priority) job.priority = static_cast<std::int32_t>(*priority);
    return ReadSize(job);
  }

  Result<void> ReadSize(WorkloadJob& job) {
    constexpr std::int64_t kMost = 1'000'000'000;
    CADRE_TRY(const std::optional<std::int64_t> pods, Whole(ColumnRole::kPods, 0, kMost));
    CADRE_TRY(const std::optional<std::int64_t> gpus, Whole(ColumnRole::kGpus, 0, kMost));
    if (pods && *pods == 0) return SkipJob("skipped: they have no pods");
    job.pods = pods.value_or(1);
    CADRE_TRY_VOID(ReadRequests(job));
    const auto each = job.requests.find(std::string(kGpuResource));
    if (gpus && *gpus > 0 && each != job.requests.end()) {
      // Both are told: each pod's share, and so how many pods there are.
      const std::int64_t share = kube::ParseAmount(kGpuResource, each->second).value_or(1);
      if (!pods) job.pods = (*gpus - 1) / share + 1;
      if (job.pods * share != *gpus)
        tally_.Note(
            "whose GPUs of each pod do not add up to those of the job: what each pod asks for was taken",
            record_.line);
    } else if (gpus && *gpus > 0) {
      if (!pods) job.pods = (*gpus - 1) / options_.gpus_per_pod + 1;
      const std::int64_t per_pod = (*gpus - 1) / job.pods + 1;
      if (per_pod * job.pods != *gpus)
        tally_.Note("rounded up: their GPUs do not fill equal pods", record_.line);
      job.requests[std::string(kGpuResource)] = std::to_string(per_pod);
    }
    if (job.requests.empty()) {
      job.requests[std::string(kube::kCpu)] = std::string(kAssumedCpu);
      tally_.Note("without any request: 1 CPU for each pod was assumed", record_.line);
    }
    return {};
  }

  Result<void> ReadRequests(WorkloadJob& job) {
    for (const Column& column : columns_.columns) {
      switch (column.role) {
        case ColumnRole::kCpu:
          CADRE_TRY_VOID(AddRequest(column, kube::kCpu, job));
          break;
        case ColumnRole::kMemory:
          CADRE_TRY_VOID(AddRequest(column, kube::kMemory, job));
          break;
        case ColumnRole::kGpu:
          CADRE_TRY_VOID(AddRequest(column, kGpuResource, job));
          break;
        case ColumnRole::kResource:
          CADRE_TRY_VOID(AddRequest(column, column.name, job));
          break;
        case ColumnRole::kRequests:
          CADRE_TRY_VOID(AddRequestList(column, job));
          break;
        default:
          break;
      }
    }
    return {};
  }

  // A number in the column's unit, or a quantity with a unit of its own.
  Result<void> AddRequest(const Column& column, std::string_view resource, WorkloadJob& job) {
    std::string text = Text(column);
    if (text.empty()) return {};
    if (const std::optional<double> number = ParseNumber(text)) {
      if (*number < 0 || *number > kLargestNumber) return Wrong(column, "an amount from 0 to 10^15");
      text = resource == kube::kCpu ? fmt::format("{:.0f}m", std::ceil(*number * column.unit * 1000))
                                    : fmt::format("{:.0f}", std::ceil(*number * column.unit));
      if (std::ceil(*number * column.unit) != *number * column.unit && resource == kGpuResource)
        tally_.Note("rounded up: they ask for a part of a GPU", record_.line);
    }
    return SetRequest(column, resource, text, job);
  }

  Result<void> SetRequest(const Column& column, std::string_view resource, const std::string& text,
                          WorkloadJob& job) {
    const Result<std::int64_t> amount = kube::ParseAmount(resource, text);
    if (!amount) return Wrong(column, amount.error().message);
    if (*amount < 0) return Wrong(column, "an amount of 0 or more");
    if (*amount > 0) job.requests[std::string(resource)] = text;
    return {};
  }

  // "cpu=4,memory=8Gi"; ';' and blanks separate too, since ',' needs quotes in CSV.
  Result<void> AddRequestList(const Column& column, WorkloadJob& job) {
    std::string text = Text(column);
    for (char& c : text)
      if (c == ';' || c == ' ') c = ',';
    for (const std::string_view item : Split(text, ',')) {
      if (Trim(item).empty()) continue;
      const std::size_t equals = item.find('=');
      if (equals == std::string_view::npos || equals == 0)
        return Wrong(column, "resources such as cpu=4;memory=8Gi");
      CADRE_TRY_VOID(
          SetRequest(column, Trim(item.substr(0, equals)), std::string(Trim(item.substr(equals + 1))), job));
    }
    return {};
  }

  // Points in time count from 1970, so that is where the trace's zero is then.
  Result<std::optional<Duration>> Submit() {
    const Column& column = *columns_.Find(ColumnRole::kSubmit);
    const std::string text = Text(column);
    if (ParseNumber(text)) return TimeIn(ColumnRole::kSubmit);
    if (const std::optional<Time> time = PointInTime(text)) {
      if (!workload_.zero) workload_.zero = Time(Duration(0));
      return time->time_since_epoch();
    }
    return TimeIn(ColumnRole::kSubmit);
  }

  // RFC 3339, or "2017-10-03 05:44:12" as databases print it, which is read as UTC.
  static std::optional<Time> PointInTime(std::string text) {
    constexpr std::size_t kDateLength = 10;
    if (text.size() <= kDateLength || text[4] != '-') return std::nullopt;
    if (text[kDateLength] == ' ') text[kDateLength] = 'T';
    if (const Result<Time> time = ParseRfc3339(text)) return *time;
    if (const Result<Time> time = ParseRfc3339(fmt::format("{}Z", text))) return *time;
    return std::nullopt;
  }

  Result<std::optional<Duration>> TimeIn(ColumnRole role) {
    const Column* column = columns_.Find(role);
    if (column == nullptr) return std::nullopt;
    const std::string text = Text(*column);
    if (text.empty()) return std::nullopt;
    if (const std::optional<double> number = ParseNumber(text)) {
      const double seconds = *number * column->unit;
      if (std::abs(seconds) > kLargestNumber) return Wrong(*column, "a time below 10^15 seconds");
      return Duration(static_cast<std::int64_t>(std::llround(seconds * 1000)));
    }
    const Result<Duration> duration = ParseDuration(text);
    if (!duration) return Wrong(*column, "a number of seconds, or a time such as 90m");
    return *duration;
  }

  // A whole number; "8.0" is one.
  Result<std::optional<std::int64_t>> Whole(ColumnRole role, std::int64_t low, std::int64_t high) {
    const Column* column = columns_.Find(role);
    if (column == nullptr || Text(*column).empty()) return std::nullopt;
    const std::optional<double> number = ParseNumber(Text(*column));
    const double value = number.value_or(std::numeric_limits<double>::quiet_NaN()) * column->unit;
    if (!(value >= static_cast<double>(low) && value <= static_cast<double>(high)))
      return Wrong(*column, fmt::format("a number from {} to {}", low, high));
    if (role == ColumnRole::kGpus && std::ceil(value) != value)
      tally_.Note("rounded up: they ask for a part of a GPU", record_.line);
    return static_cast<std::int64_t>(std::ceil(value));
  }

  Result<void> SkipJob(std::string_view why) {
    skip_ = why;
    return {};
  }

  const std::string& Text(const Column& column) const { return record_.fields[column.index]; }

  std::unexpected<Error> Wrong(const Column& column, std::string_view expected) const {
    return Err("column {} ({}): found \"{}\", expected {}", column.index + 1, column.name, Text(column),
               expected);
  }

  const ColumnMap& columns_;
  const CsvRecord& record_;
  const WorkloadOptions& options_;
  Workload& workload_;
  LineTally& tally_;
  std::string_view skip_;
};

void NoteUnused(const ColumnMap& columns, Workload& workload) {
  if (columns.unused.empty()) return;
  workload.notes.push_back(
      fmt::format("{}: columns not used: {}", workload.file, fmt::join(columns.unused, ", ")));
}

}  // namespace

Result<Workload> ReadCsv(std::string_view text, std::string file, std::string_view mapping,
                         const WorkloadOptions& options) {
  CsvText csv(text);
  std::optional<Result<CsvRecord>> record = csv.Next();
  if (!record) return Err("is empty, expected a header and one line per job");
  if (!*record) return std::unexpected(record->error());
  const std::vector<std::string> header = (*record)->fields;
  Result<ColumnMap> columns = FindColumns(header, mapping);
  if (!columns) return Err("line {}: {}", (*record)->line, columns.error().message);

  Workload workload;
  workload.file = std::move(file);
  LineTally tally;
  NoteUnused(*columns, workload);
  while ((record = csv.Next())) {
    if (!*record) {
      tally.Problem(record->error().message);
    } else if ((*record)->fields.size() != header.size()) {
      tally.Problem(fmt::format("line {}: found {}, expected {} as in the header", (*record)->line,
                                Quantify(static_cast<std::int64_t>((*record)->fields.size()), "field"),
                                header.size()));
    } else {
      RowReader(*columns, **record, options, workload, tally).Read();
    }
  }
  FinishWorkload(tally, workload);
  return workload;
}

}  // namespace cadre::app

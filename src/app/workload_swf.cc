#include "app/workload_swf.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "kube/resources.h"

namespace cadre::app {

namespace {

constexpr std::size_t kFields = 18;
// A number of the format: large enough for seconds since 1970 and bytes, small enough for an int64.
constexpr double kLargestNumber = 1e15;

enum Field : std::size_t {
  kJobNumber = 0,
  kSubmit = 1,
  kRunTime = 3,
  kAllocatedProcs = 4,
  kUsedMemory = 6,
  kRequestedProcs = 7,
  kRequestedTime = 8,
  kRequestedMemory = 9,
  kStatus = 10,
  kPrecedingJob = 16,
};

constexpr auto kFieldNames = std::to_array<std::string_view>(
    {"job number", "submit time", "wait time", "run time", "allocated processors", "average CPU time",
     "used memory", "requested processors", "requested time", "requested memory", "status", "user", "group",
     "executable", "queue", "partition", "preceding job", "think time"});
static_assert(kFieldNames.size() == kFields);

enum Status : int { kFailed = 0, kPartial = 2, kLastPartialFailed = 4, kCancelled = 5 };

using Row = std::array<double, kFields>;

std::optional<std::string_view> NextWord(std::string_view& text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t start = text.find_first_not_of(kBlank);
  if (start == std::string_view::npos) return std::nullopt;
  text.remove_prefix(start);
  const std::string_view word = text.substr(0, text.find_first_of(kBlank));
  text.remove_prefix(word.size());
  return word;
}

// Errors say which field; the caller says where.
Result<Row> ReadRow(std::string_view line) {
  Row row{};
  std::size_t count = 0;
  while (const std::optional<std::string_view> word = NextWord(line)) {
    if (count < kFields) {
      const std::optional<double> number = ParseNumber(*word);
      if (!number || std::abs(*number) > kLargestNumber)
        return Err("field {} ({}): found \"{}\", expected a number, or -1 when it is not known", count + 1,
                   kFieldNames[count], *word);
      row[count] = *number;
    }
    ++count;
  }
  if (count != kFields)
    return Err("found {}, expected the {} of the Standard Workload Format",
               Quantify(static_cast<std::int64_t>(count), "field"), kFields);
  return row;
}

class SwfReader {
 public:
  SwfReader(std::string file, const WorkloadOptions& options) : options_(options) {
    workload_.file = std::move(file);
  }

  Workload Read(std::string_view text) {
    std::size_t line_number = 0;
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      ++line_number;
      const std::string_view content = Trim(line);
      if (content.empty()) continue;
      if (content.front() == ';')
        ReadHeader(Trim(content.substr(1)), line_number);
      else
        ReadJob(content, line_number);
    }
    FinishWorkload(tally_, workload_);
    return std::move(workload_);
  }

 private:
  // "MaxNodes: 128"; other headers, and comments without a colon, are for people.
  void ReadHeader(std::string_view comment, std::size_t line) {
    const std::size_t colon = comment.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view key = Trim(comment.substr(0, colon));
    if (key != "MaxNodes" && key != "MaxProcs" && key != "UnixStartTime") return;
    std::string_view rest = comment.substr(colon + 1);  // "128 (since 2001)" is found too
    const std::string_view word = NextWord(rest).value_or("");
    const std::optional<double> number = ParseNumber(word);
    if (!number || *number > kLargestNumber) {
      tally_.Problem(fmt::format("line {}: {}: found \"{}\", expected a number", line, key, word));
      return;
    }
    if (*number <= 0) return;  // not known
    const auto value = static_cast<std::int64_t>(*number);
    if (key == "MaxNodes") workload_.max_nodes = value;
    if (key == "MaxProcs") workload_.max_procs = value;
    if (key == "UnixStartTime" && value <= kLatestUnixTime)
      workload_.zero = Time(std::chrono::seconds(value));
  }

  void ReadJob(std::string_view content, std::size_t line) {
    const Result<Row> row = ReadRow(content);
    if (!row) {
      tally_.Problem(fmt::format("line {}: {}", line, row.error().message));
    } else if (const std::string_view why = WhySkipped(*row); !why.empty()) {
      tally_.Note(why, line);
    } else {
      Keep(*row, line);
    }
  }

  static double Procs(const Row& row) {
    return row[kRequestedProcs] > 0 ? row[kRequestedProcs] : row[kAllocatedProcs];
  }

  // Empty for a job that is kept.
  static std::string_view WhySkipped(const Row& row) {
    const int status = static_cast<int>(row[kStatus]);
    if (status >= kPartial && status <= kLastPartialFailed)
      return "skipped: parts of a job that was interrupted, whose whole has a line of its own (status 2 to "
             "4)";
    if (row[kRunTime] <= 0 && status == kCancelled)
      return "skipped: cancelled before they started (status 5)";
    if (row[kRunTime] <= 0 && status == kFailed) return "skipped: failed without having run (status 0)";
    if (row[kRunTime] <= 0) return "skipped: their run time is zero or not known";
    if (row[kSubmit] < 0) return "skipped: their submit time is not known";
    if (Procs(row) <= 0) return "skipped: their number of processors is zero or not known";
    return {};
  }

  void Keep(const Row& row, std::size_t line) {
    NoteOddities(row, line);
    WorkloadJob job;
    job.name = fmt::format("{:.0f}", row[kJobNumber]);
    job.line = line;
    job.submit = Milliseconds(row[kSubmit]);
    job.run = std::max(Milliseconds(row[kRunTime]), Duration(1));
    if (row[kRequestedTime] > 0) job.requested = Milliseconds(row[kRequestedTime]);
    const auto procs = static_cast<std::int64_t>(std::ceil(Procs(row)));
    job.pods = (procs - 1) / options_.procs_per_pod + 1;
    const std::int64_t per_pod = (procs - 1) / job.pods + 1;
    if (per_pod * job.pods != procs) tally_.Note("rounded up: their processors do not fill equal pods", line);
    job.requests[std::string(kube::kCpu)] = std::to_string(per_pod);
    if (const double memory = Memory(row); memory > 0) {
      job.requests[std::string(kube::kMemory)] =
          fmt::format("{:.0f}Ki", std::ceil(memory * static_cast<double>(per_pod)));
    }
    workload_.jobs.push_back(std::move(job));
  }

  static double Memory(const Row& row) {
    return row[kRequestedMemory] > 0 ? row[kRequestedMemory] : row[kUsedMemory];
  }

  // What is kept although it may surprise.
  void NoteOddities(const Row& row, std::size_t line) {
    const int status = static_cast<int>(row[kStatus]);
    if (status == kFailed) tally_.Note("kept though they failed: they held their processors", line);
    if (status == kCancelled) tally_.Note("kept though they were cancelled: they had run for a while", line);
    if (row[kRequestedProcs] <= 0)
      tally_.Note("with the processors they were given: what they asked for is not known", line);
    if (row[kRequestedMemory] <= 0 && row[kUsedMemory] > 0)
      tally_.Note("with the memory they used: what they asked for is not known", line);
    if (row[kRequestedTime] <= 0) tally_.Note("without the time they asked for: it is not known", line);
    if (row[kRequestedTime] > 0 && row[kRunTime] > row[kRequestedTime])
      tally_.Note("running longer than they had asked for, as in the trace", line);
    if (row[kPrecedingJob] > 0)
      tally_.Note("not waiting for the job they followed (field 17): they come when they came", line);
  }

  static Duration Milliseconds(double seconds) {
    return Duration(static_cast<std::int64_t>(std::llround(seconds * 1000)));
  }

  static constexpr std::int64_t kLatestUnixTime = 32'503'680'000;  // the year 3000

  const WorkloadOptions options_;
  Workload workload_;
  LineTally tally_;
};

}  // namespace

Workload ReadSwf(std::string_view text, std::string file, const WorkloadOptions& options) {
  return SwfReader(std::move(file), options).Read(text);
}

}  // namespace cadre::app

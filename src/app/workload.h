// A workload trace: jobs as a batch system's log or a spreadsheet tells of them, before they are Kubernetes
// objects. Readers: workload_swf.h, workload_csv.h. docs/traces.md says what of a trace is used and how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace cadre::app {

// What a trace may hold at most; beyond it a unit is wrong more likely than the job is right.
inline constexpr Duration kLongestTraceTime = std::chrono::hours(24 * 365 * 10);
inline constexpr std::int64_t kMostTracePods = 100'000;  // of an Indexed Job: Kubernetes' own bound

struct WorkloadJob {
  std::string name;                   // as the trace calls it; empty when it does not; need not be unique
  std::size_t line = 0;               // 1-based, in the file
  Duration submit{0};                 // since the trace's zero
  Duration run{0};                    // > 0
  std::optional<Duration> requested;  // the time the user asked for
  std::int64_t pods = 1;
  std::map<std::string, std::string> requests;  // of each pod: resource -> quantity
  std::optional<std::int32_t> priority;
};

struct Workload {
  std::string file;                   // as the user named it
  std::vector<WorkloadJob> jobs;      // in the order of the file
  std::vector<std::string> problems;  // lines that cannot be read: "line 4, column 2 (run): …"; bounded
  std::vector<std::string> notes;     // what was skipped or changed, how often, and why; with the file
  std::optional<Time> zero;           // when `submit` 0 was, if the trace tells
  // The machine that the trace is of, where its header tells.
  std::optional<std::int64_t> max_nodes;
  std::optional<std::int64_t> max_procs;
};

struct WorkloadOptions {
  std::int64_t procs_per_pod = 1;  // SWF: processors that one pod stands for, at most
  std::int64_t gpus_per_pod = 8;   // CSV: a job's GPUs are split into equal pods of at most so many
};

// Counts lines by what befell them, so that nothing is dropped without a word and a million bad lines make
// one message.
class LineTally {
 public:
  // "trace.swf: 17 jobs <what> (the first: line 4)"; `what` is the key.
  void Note(std::string_view what, std::size_t line);
  // A line that cannot be read. The first few are kept in full, the others counted.
  void Problem(std::string message);

  // Moves everything into workload.notes and workload.problems.
  void Finish(Workload& workload) const;

 private:
  struct Count {
    std::size_t lines = 0;
    std::size_t first = 0;
  };
  std::map<std::string, Count, std::less<>> counts_;
  std::vector<std::string> problems_;
  std::size_t problems_left_out_ = 0;
};

// Last step of every reader: `submit` counts from the first job of the trace (a note says from when), and
// jobs whose times or sizes are beyond the bounds above become problems.
void FinishWorkload(LineTally& tally, Workload& workload);

// "12", "-1", "3.5", "1e3": all of the text and finite; nothing otherwise.
std::optional<double> ParseNumber(std::string_view text);

}  // namespace cadre::app

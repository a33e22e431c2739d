// Trace files of the command line -> objects of the simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/workload.h"
#include "base/time.h"
#include "kube/manifest.h"

namespace cadre::app {

// True for names that end in .swf, .csv or .tsv, also with .gz behind: `-f` takes them for traces.
bool IsTraceName(std::string_view path);

struct TraceFlags {
  std::vector<std::string> files;  // --trace, and what -f takes for traces
  std::string columns;             // --trace-columns
  WorkloadOptions options;
};

struct TraceInput {
  std::vector<std::string> notes;
  std::optional<Time> start;  // when the first job of all traces was submitted, if a trace tells
  std::string machine;        // what the traces' headers say of their machine, for people; may be empty
};

// Appends the jobs of all traces to `out`, in the order of the files: SWF by the name's end, everything else
// is CSV. Gzip is recognised by its content. What cannot be read becomes a problem of `out`. Several traces
// start at the same instant, each with its first job.
TraceInput LoadTraces(const TraceFlags& flags, kube::Manifests& out);

// The trace in `text`, which may be gzip; `file` decides on the format. Errors do not name the file.
Result<Workload> ReadTrace(std::string_view text, const std::string& file, const TraceFlags& flags);

}  // namespace cadre::app

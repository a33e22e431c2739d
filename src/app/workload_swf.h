// Reads the Standard Workload Format of the Parallel Workloads Archive: one line per job, 18 numbers, -1 for
// unknown, header comments behind ';'. Source: the format's definition (Feitelson et al., version 2.2).
#pragma once

#include <string>
#include <string_view>

#include "app/workload.h"

namespace cadre::app {

// What is taken, with the field's number:
//   2 submit, 4 run time;
//   8 requested processors, else 5 allocated ones: pods of at most `procs_per_pod` processors each, as equal
//     as can be, cpu rounded up to whole processors per pod;
//   9 requested time, where known;
//   10 requested memory, else 7 used memory, in KB per processor: memory of each pod.
// What ran is kept, however it ended (it held its processors); what never ran, and the partial lines of a job
// that was checkpointed (status 2 to 4; its whole has a line of its own), are skipped. Each is counted in
// notes. A line that is not 18 numbers is a problem; the others are read.
// Header: MaxNodes, MaxProcs, UnixStartTime.
Workload ReadSwf(std::string_view text, std::string file, const WorkloadOptions& options);

}  // namespace cadre::app

// RunReport: what happened in a run, as plain data: the snapshot that all renderings (text, JSON) read.
//
// All times are since the start of the run. Nothing here refers to live state; a report may be kept, compared
// and rendered at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace cadre::report {

enum class GroupState : std::uint8_t {
  kFinished,  // everything that makes it up has ended; see `outcome`
  kRunning,   // its minimum was placed and it has not ended
  kPending,   // it could start on an emptier cluster, or waits for something else: see `reason`
  kNever,     // the nodes that are there could not hold it, were they empty
};

std::string_view ToString(GroupState state);

// From `from` until `to`; none: it still is so at the end of the run.
struct Span {
  Duration from{0};
  std::optional<Duration> to;
};

inline constexpr std::size_t kNoShape = static_cast<std::size_t>(-1);

// One pod of a group on a node.
struct MemberPlacement {
  std::string member;  // "train-workers-0/3": unit and index, or the pod's name
  std::string node;
  Span span;
  std::size_t shape = kNoShape;  // what it requests: index into RunReport::shapes
};

struct GroupRow {
  std::string namespace_;
  std::string name;
  std::string kind;
  std::int32_t members = 0;  // pods that run at the same time when it runs
  GroupState state = GroupState::kPending;
  std::string outcome;  // "succeeded", "failed", "deleted"; empty until it is finished
  Duration submit{0};
  std::optional<Duration> first_bind;
  std::optional<Duration> start;  // its minimum was placed
  std::optional<Duration> end;
  std::string reason;                           // why it waits, never runs, or failed
  std::optional<Duration> expected_start = {};  // of a pending group: at the latest, where it is known
  std::vector<std::string> nodes;               // ever used, sorted
  std::map<std::string, std::vector<std::string>>
      domains;                      // topology label key -> values of those nodes, sorted
  std::int32_t restarts = 0;        // of the group as a whole
  std::int32_t recreated_pods = 0;  // pods that took the slot of an earlier one
  std::vector<Span> runs;           // when at least one of its pods held a node
  std::vector<MemberPlacement> placements;
};

// Requested over allocatable, over the whole run.
struct ResourceUse {
  std::string resource;
  std::int64_t allocatable = 0;  // of all nodes at the end, in base units
  double mean_fraction = 0;      // integral of requested over integral of allocatable
  double peak_fraction = 0;      // the most that was requested at one instant, over what was allocatable then
  std::vector<double> over_time;    // mean fraction in equal slices of the run
  std::vector<double> detail = {};  // the same in more slices, for charts; may be empty
};

struct ClusterSummary {
  std::size_t nodes = 0;
  std::map<std::string, std::size_t> domains;  // topology label key -> number of different values
};

// Resource name -> amount in base units (milli-CPU, bytes, counts), without "pods".
using Amounts = std::map<std::string, std::int64_t>;

// A node that was there at some time of the run.
struct NodeRow {
  std::string name;
  std::vector<std::string> path;  // its values of RunReport::levels; "" where it lacks the label
  Amounts allocatable;            // as last seen
  bool gone = false;              // deleted before the end
};

// A group's hold on an exclusive domain.
struct DomainClaim {
  std::string key;                // topology label key of the domain
  std::vector<std::string> path;  // values of RunReport::levels down to `key`, its own last; "" where missing
  std::string group;              // who, for people: "JobSet default/train"
  Span span;
};

struct UnknownKind {
  std::string api_version;
  std::string kind;
  std::size_t count = 0;
  std::string first;         // where the first was found: "jobs.yaml: document 3, line 40"
  std::string instead = {};  // what is read of this kind: "batch/v1 Job"; empty where no version is
};

// "2 × Job (batch/v1beta1), first in jobs.yaml: document 3; batch/v1 Job is read, this is not".
std::string ToString(const UnknownKind& unknown);

struct RunReport {
  Time start{};
  Duration end{0};               // the last instant that matters: nothing changed after it
  bool cut = false;              // the run was ended by a limit, not because nothing could change any more
  std::uint64_t api_writes = 0;  // that the API server carried out: what a run's cost grows with
  ClusterSummary cluster;
  std::vector<GroupRow> groups;  // by submit, then name
  std::vector<ResourceUse> utilisation;
  std::vector<std::string> levels;          // topology label keys that nodes have, coarse to fine
  std::vector<NodeRow> nodes;               // by name
  std::vector<Amounts> shapes;              // different requests of pods, in the order in which they appeared
  std::vector<MemberPlacement> background;  // pods on the nodes that belong to no group of this report
  std::vector<DomainClaim> claims;          // by start
  std::vector<std::string> violations;
  std::vector<UnknownKind> unknown_kinds;
  std::vector<std::string> problems;  // input that was not used, and why
  std::vector<std::string> notes;     // what else a person should know
};

struct Totals {
  std::size_t groups = 0;
  std::size_t finished = 0;
  std::size_t failed = 0;  // of the finished
  std::size_t running = 0;
  std::size_t pending = 0;
  std::size_t never = 0;
  std::int64_t members = 0;
  std::int64_t restarts = 0;
  std::optional<Duration> makespan;   // first submit to last end, of the finished
  std::optional<double> mean_wait_s;  // submit to start, of those that started
  std::optional<double> max_wait_s;
  std::optional<double> mean_submit_to_end_s;  // of the finished
};

Totals TotalsOf(const RunReport& report);

}  // namespace cadre::report

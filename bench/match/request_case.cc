// One kind of request again and again: the first time for shapes never seen, then for one that is known.
#include <vector>

#include <fmt/format.h>

#include "bench/match/cases.h"
#include "bench/match/fleet.h"
#include "bench/match/measure.h"

namespace cadre::bench {
namespace {

enum class Load : std::uint8_t {
  kHalf,  // every second rack has one worker on each of its nodes, the others are empty
  kFull,  // every node has five cores in use, but for 20: room for 40 workers
};

struct RequestCase {
  std::string_view name;
  Load load = Load::kHalf;
  bool fits = true;
  GangAsk ask;
  // The fewest nodes and racks that can do, by arithmetic; 0: no bound.
  std::size_t fewest_nodes = 0;
  std::size_t fewest_racks = 0;
};

model::TopologyAsk Required(std::string_view key) {
  return {.required = std::string(key)};
}
model::TopologyAsk Exclusive(std::string_view key) {
  return {.exclusive = std::string(key)};
}

std::vector<RequestCase> AllRequests() {
  const UnitAsk whole_rack{.members = kNodesPerRack, .pod = kWhole, .topology = Exclusive(kRack)};
  const PodAsk too_large{.cores = 9, .gpus = 1, .memory_mib = 1024};
  const PodAsk launcher{.cores = 1, .gpus = 0, .memory_mib = 512};
  const PodAsk server{.cores = 2, .gpus = 0, .memory_mib = 8192};
  const PodAsk apart{.cores = 4, .gpus = 1, .memory_mib = 1024, .terms = Terms::kApart};
  const PodAsk spread{.cores = 4, .gpus = 1, .memory_mib = 1024, .terms = Terms::kSpread};
  // 17 of these take 17 nodes of a rack, 31 of those 16 of the others: one node too many, though sums would
  // do.
  const PodAsk above_half{.cores = 5, .gpus = 1, .memory_mib = 1024};
  const PodAsk half{.cores = 4, .gpus = 0, .memory_mib = 1024};
  return {
      {"gang64", Load::kHalf, true, {.units = {{64, kWorker}}}, 32, 1},
      {"node64", Load::kHalf, true, {.units = {{64, kWhole}}}, 64, 2},
      {"rackx", Load::kHalf, true, {.units = {whole_rack}}, 32, 1},
      {"zone4rackx",
       Load::kHalf,
       true,
       {.units = std::vector<UnitAsk>(4, whole_rack), .topology = Required(kZone)},
       128,
       4},
      {"n512", Load::kHalf, true, {.units = {{512, kWorker}}}, 256, 8},
      {"rack64", Load::kHalf, true, {.units = {{64, kWorker}}, .topology = Required(kRack)}, 32, 1},
      {"racks32x8",
       Load::kHalf,
       true,
       {.units = std::vector<UnitAsk>(32, {8, kWorker, Required(kRack)})},
       0,
       0},
      {"mixed", Load::kHalf, true, {.units = {{1, launcher}, {16, server}, {64, kWorker}}}, 0, 0},
      {"apart", Load::kHalf, true, {.units = {{64, apart}}}, 64, 2},
      {"spread", Load::kHalf, true, {.units = {{64, spread}}}, 0, 0},
      {"unsat_rack", Load::kHalf, false, {.units = {{65, kWorker}}, .topology = Required(kRack)}, 0, 0},
      {"unsat_node", Load::kHalf, false, {.units = {{64, too_large}}}, 0, 0},
      {"unsat_mixed",
       Load::kHalf,
       false,
       {.units = {{17, above_half}, {31, half}}, .topology = Required(kRack)},
       0,
       0},
      {"busy", Load::kFull, false, {.units = {{64, kWorker}}}, 0, 0},
  };
}

const RequestCase* Find(std::string_view name) {
  static const std::vector<RequestCase> all = AllRequests();
  for (const RequestCase& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

void Fill(Fleet& fleet, Load load) {
  const PodAsk five_cores{.cores = 5, .gpus = 0, .memory_mib = 1024};
  const std::size_t free_every = fleet.size() / 20;
  for (std::size_t node = 0; node < fleet.size(); ++node) {
    const std::size_t rack = node / kNodesPerRack;
    const std::string gang = fmt::format("base-{}", rack);
    if (load == Load::kHalf && rack % 2 == 1) fleet.Run(gang, node % kNodesPerRack, node, kWorker);
    if (load == Load::kFull && node % free_every != 0)
      fleet.Run(gang, node % kNodesPerRack, node, five_cores);
  }
}

// The same with shapes that nobody asked for before.
GangAsk WithMemory(GangAsk ask, std::size_t more_mib) {
  for (UnitAsk& unit : ask.units)
    unit.pod.memory_mib += static_cast<std::int64_t>(more_mib);
  return ask;
}

class Runner {
 public:
  Runner(const RequestCase& request, const CaseInput& input)
      : request_(request), input_(input), fleet_(input.size) {
    Fill(fleet_, request.load);
    fleet_.finder();
  }

  bool Run() {
    std::vector<double> first_ms;
    for (Repetitions reps(9, input_.budget_s); reps.Next();) {
      if (!Once(WithMemory(request_.ask, 2 + reps.done()), first_ms)) return false;
    }
    std::vector<double> warm_ms;
    std::vector<double> unused;
    if (!Once(request_.ask, unused)) return false;
    for (Repetitions reps(501, input_.budget_s); reps.Next();) {
      if (!Once(request_.ask, warm_ms)) return false;
    }
    Print(first_ms, warm_ms);
    return true;
  }

 private:
  bool Once(const GangAsk& ask, std::vector<double>& ms) {
    return request_.fits ? PlaceOnce(ask, ms) : RefuseOnce(ask, ms);
  }

  bool PlaceOnce(const GangAsk& ask, std::vector<double>& ms) {
    Gang gang = fleet_.Arrive(fmt::format("gang-{}", ++gangs_), ask, &arrive_s_);
    pods_ += gang.pods.size();
    const auto cpu_s = fleet_.Place(gang);
    if (!cpu_s) {
      fmt::print(stderr, "{} is refused\n", request_.name);
      return false;
    }
    ms.push_back(*cpu_s * 1e3);
    quality_ = QualityOf(fleet_.cluster(), fleet_.NodesOf(gang));
    leave_ms_.push_back(fleet_.Leave(gang) * 1e3);
    return true;
  }

  // Nothing is placed, so that something else has to change between two: a pod that comes, is placed and
  // goes.
  bool RefuseOnce(const GangAsk& ask, std::vector<double>& ms) {
    Gang pod = fleet_.Arrive(fmt::format("pod-{}", ++gangs_), {.units = {{1, {1, 0, 512}}}});
    if (!fleet_.Place(pod)) return false;
    fleet_.Leave(pod);
    const match::Request request = fleet_.RequestOf("refused", ask);
    const double start_s = CpuSeconds();
    const auto answer = fleet_.finder().Match(request);
    ms.push_back((CpuSeconds() - start_s) * 1e3);
    if (answer.has_value()) fmt::print(stderr, "{} is placed\n", request_.name);
    return !answer.has_value();
  }

  void Print(const std::vector<double>& first_ms, const std::vector<double>& warm_ms) {
    const std::string name = fmt::format("{}/{}", SizeName(input_.size), request_.name);
    PrintRow(name, "first_ms", Median(first_ms), "ms");
    PrintRow(name, "warm_ms", Median(warm_ms), "ms");
    const match::Finder::Counters& counters = fleet_.finder().counters();
    const auto indexed = static_cast<double>(counters.indexed);
    PrintRow(name, "indexed", 100.0 * indexed / (indexed + static_cast<double>(counters.searched)), "%");
    if (!request_.fits) return;
    PrintRow(name, "leave_ms", Median(leave_ms_), "ms");
    PrintRow(name, "arrive_us_per_pod", arrive_s_ * 1e6 / static_cast<double>(pods_), "us");
    PrintRow(name, "domains", quality_.racks, "racks");
    PrintRow(name, "nodes", quality_.nodes, "nodes");
    if (request_.fewest_nodes > 0) {
      PrintRow(name, "domains_over_optimum", quality_.racks - static_cast<double>(request_.fewest_racks),
               "racks");
      PrintRow(name, "nodes_over_optimum", quality_.nodes - static_cast<double>(request_.fewest_nodes),
               "nodes");
    }
    PrintRow(name, "neighbour_distance", quality_.neighbour_distance, "");
  }

  const RequestCase& request_;
  const CaseInput& input_;
  Fleet fleet_;
  std::size_t gangs_ = 0;
  std::size_t pods_ = 0;
  double arrive_s_ = 0;
  std::vector<double> leave_ms_;
  Quality quality_;
};

}  // namespace

bool IsRequest(std::string_view name) {
  return Find(name) != nullptr;
}

bool RunRequest(const CaseInput& input) {
  return Runner(*Find(input.name), input).Run();
}

}  // namespace cadre::bench

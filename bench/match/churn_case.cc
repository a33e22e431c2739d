// Groups of many shapes and sizes come and go on a cluster that is 80 % full; and the same as shapes or pods
// grow.
#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/random.h"
#include "bench/match/cases.h"
#include "bench/match/fleet.h"
#include "bench/match/measure.h"

namespace cadre::bench {
namespace {

constexpr std::size_t kLiveShapes = 200;
constexpr std::size_t kGrowthNodes = 10'000;
// Enough that what happens once in a thousand groups, as when a log is full, is among them.
constexpr std::size_t kDecisions = 10'000;
constexpr std::array<std::size_t, 7> kSizes = {1, 2, 4, 8, 16, 32, 64};

// Shape i of those that live: 1 to 4 cores, up to one GPU, and an amount of memory that is its alone.
PodAsk ShapeNumber(std::size_t i) {
  return {.cores = static_cast<std::int64_t>(1 + i % 4),
          .gpus = i % 3 == 0 ? 1 : 0,
          .memory_mib = static_cast<std::int64_t>(512 + 8 * i)};
}

// Groups of random size and shape on about 80 % of all cores.
class Churn {
 public:
  Churn(std::size_t nodes, std::size_t shapes) : fleet_(nodes), shapes_(shapes) {
    FillInOrder();
    fleet_.finder();
  }

  // One goes for each that comes, more or fewer where their sizes differ. Gangs that find no room are counted
  // and go again.
  void Step(bool measured, std::size_t shape) {
    while (used_cores_ >= most_cores_)
      LeaveOne(measured);
    const std::size_t size = kSizes[random_.Uniform(kSizes.size())];
    const PodAsk pod = ShapeNumber(shape);
    Gang gang = fleet_.Arrive(NextName(), {.units = {{size, pod}}});
    const auto cpu_s = fleet_.Place(gang);
    if (!cpu_s) {
      fleet_.Leave(gang);
      if (measured) ++refused_;
      return;
    }
    if (measured) {
      ms_.push_back(*cpu_s * 1e3);
      if (size == kSizes.back()) largest_ms_.push_back(*cpu_s * 1e3);
    }
    Keep(std::move(gang), pod);
  }

  // Before anything is measured each shape is asked for once: what the first time costs is another metric.
  void Run(double budget_s) {
    for (Repetitions reps(2 * shapes_, budget_s); reps.Next();)
      Step(false, reps.done() % shapes_);
    for (Repetitions reps(kDecisions, 2 * budget_s); reps.Next();)
      Step(true, random_.Uniform(shapes_));
  }

  void Print(const std::string& name) {
    PrintRow(name, "churn_p50_ms", Percentile(ms_, 50), "ms");
    PrintRow(name, "churn_p99_ms", Percentile(ms_, 99), "ms");
    if (!largest_ms_.empty()) PrintRow(name, "churn_gang64_p99_ms", Percentile(largest_ms_, 99), "ms");
    if (!leave_ms_.empty()) PrintRow(name, "leave_p99_ms", Percentile(leave_ms_, 99), "ms");
    PrintRow(name, "churn_max_ms", Percentile(ms_, 100), "ms");
    PrintRow(name, "decisions", static_cast<double>(ms_.size()), "");
    PrintRow(name, "refused", static_cast<double>(refused_), "");
  }
  bool HasMeasured() const { return !ms_.empty(); }

 private:
  struct Placed {
    Gang gang;
    std::int64_t cores = 0;
  };

  std::string NextName() { return fmt::format("gang-{}", ++gangs_); }

  void Keep(Gang gang, const PodAsk& pod) {
    const auto cores = static_cast<std::int64_t>(gang.pods.size()) * pod.cores;
    used_cores_ += cores;
    placed_.push_back({std::move(gang), cores});
  }

  void LeaveOne(bool measured) {
    std::swap(placed_[random_.Uniform(placed_.size())], placed_.back());
    used_cores_ -= placed_.back().cores;
    const double cpu_s = fleet_.Leave(placed_.back().gang);
    if (measured) leave_ms_.push_back(cpu_s * 1e3);
    placed_.pop_back();
  }

  // Node after node, without a search: only how full it is matters here. What the churn leaves behind is up
  // to the finder. All nodes but each fifth, so that there is room everywhere.
  void FillInOrder() {
    most_cores_ = static_cast<std::int64_t>(fleet_.size()) * 8 * 8 / 10;
    std::size_t node = 0;
    std::int64_t free_cores = 8;
    std::int64_t free_gpus = 2;
    const auto next_node = [&] {
      ++node;
      if (node % 5 == 4) ++node;
      free_cores = 8;
      free_gpus = 2;
    };
    while (used_cores_ < most_cores_) {
      const PodAsk pod = ShapeNumber(random_.Uniform(shapes_));
      Gang gang = fleet_.Arrive(NextName(), {.units = {{kSizes[random_.Uniform(kSizes.size())], pod}}});
      for (const model::PodId id : gang.ids) {
        if (free_cores < pod.cores || free_gpus < pod.gpus) next_node();
        if (node >= fleet_.size()) {
          fleet_.Leave(gang);
          most_cores_ = used_cores_;
          return;
        }
        fleet_.cluster().Assume(id, fleet_.cluster().FindNode(NodeName(node)));
        free_cores -= pod.cores;
        free_gpus -= pod.gpus;
      }
      Keep(std::move(gang), pod);
    }
  }

  Fleet fleet_;
  std::size_t shapes_;
  Random random_{20260102};
  std::vector<Placed> placed_;
  std::int64_t used_cores_ = 0;
  std::int64_t most_cores_ = 0;
  std::size_t gangs_ = 0;
  std::size_t refused_ = 0;
  std::vector<double> ms_;
  std::vector<double> largest_ms_;
  std::vector<double> leave_ms_;
};

bool RunChurnOf(std::size_t nodes, std::size_t shapes, const std::string& name, double budget_s) {
  Churn churn(nodes, shapes);
  churn.Run(budget_s);
  if (!churn.HasMeasured()) {
    fmt::print(stderr, "{}: no group found room\n", name);
    return false;
  }
  churn.Print(name);
  return true;
}

}  // namespace

bool RunChurn(const CaseInput& input) {
  return RunChurnOf(input.size, kLiveShapes, SizeName(input.size) + "/churn", input.budget_s);
}

bool RunShapes(const CaseInput& input) {
  return RunChurnOf(kGrowthNodes, input.size, fmt::format("growth/shapes={}", input.size), input.budget_s);
}

// So many small pods run, evenly spread; then 64 workers come and go.
bool RunPods(const CaseInput& input) {
  const std::string name = fmt::format("growth/pods={}", input.size);
  const PodAsk small{.cores = 0, .gpus = 0, .memory_mib = 64};
  Fleet fleet(kGrowthNodes);
  const double before_mib = ResidentMib();
  double load_s = -CpuSeconds();
  for (std::size_t i = 0; i < input.size; ++i)
    fleet.Run(fmt::format("base-{}", i / 64), i % 64, i % kGrowthNodes, small);
  fleet.finder();
  load_s += CpuSeconds();
  PrintRow(name, "load_cpu_s", load_s, "s");
  PrintRow(name, "rss_mib", ResidentMib() - before_mib, "MiB");
  std::vector<double> ms;
  for (Repetitions reps(301, input.budget_s); reps.Next();) {
    Gang gang = fleet.Arrive(fmt::format("gang-{}", reps.done()), {.units = {{64, kWorker}}});
    const auto cpu_s = fleet.Place(gang);
    if (!cpu_s) return false;
    ms.push_back(*cpu_s * 1e3);
    fleet.Leave(gang);
  }
  PrintRow(name, "gang64_ms", Median(ms), "ms");
  return true;
}

}  // namespace cadre::bench

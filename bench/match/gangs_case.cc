// 1,600 gangs of 64 workers one after another, by the finder alone and by the scheduler as a whole; then a
// new process that knows nothing but the API.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "bench/match/api_world.h"
#include "bench/match/cases.h"
#include "bench/match/fleet.h"
#include "bench/match/measure.h"

namespace cadre::bench {
namespace {

constexpr std::size_t kMostGangs = 1'600;
constexpr std::size_t kGangSize = 64;
// These loops are one experiment and may take longer than repetitions of the same.
constexpr double kBudgetFactor = 4;

// As many as fill 80 % of the nodes, two workers to a node.
std::size_t GangsFor(std::size_t nodes) {
  return std::min(kMostGangs, nodes * 2 * 8 / 10 / kGangSize);
}

}  // namespace

bool RunGangs(const CaseInput& input) {
  const std::string name = SizeName(input.size) + "/gangs";
  Fleet fleet(input.size);
  std::vector<double> seconds;
  double arrive_s = 0;
  for (Repetitions reps(GangsFor(input.size), kBudgetFactor * input.budget_s); reps.Next();) {
    Gang gang =
        fleet.Arrive(fmt::format("gang-{}", reps.done()), {.units = {{kGangSize, kWorker}}}, &arrive_s);
    const auto cpu_s = fleet.Place(gang);
    if (!cpu_s) {
      fmt::print(stderr, "gang {} is refused\n", reps.done());
      return false;
    }
    seconds.push_back(*cpu_s);
  }
  double total_s = 0;
  for (const double one_s : seconds)
    total_s += one_s;
  const auto count = static_cast<double>(seconds.size());
  PrintRow(name, "gangs", count, "");
  PrintRow(name, "gangs_per_s", count / total_s, "1/s");
  PrintRow(name, "p50_ms", Percentile(seconds, 50) * 1e3, "ms");
  PrintRow(name, "p99_ms", Percentile(seconds, 99) * 1e3, "ms");
  PrintRow(name, "arrive_us_per_pod", arrive_s * 1e6 / (count * kGangSize), "us");
  return true;
}

bool RunRebuild(const CaseInput& input) {
  const std::string name = SizeName(input.size) + "/rebuild";
  ApiWorld world(input.size);
  std::size_t gangs = 0;
  double scheduler_s = 0;
  for (Repetitions reps(GangsFor(input.size), kBudgetFactor * input.budget_s); reps.Next(); ++gangs) {
    world.AddJob(fmt::format("gang-{}", reps.done()), kGangSize, kWorker);
    scheduler_s += world.Run();
  }
  if (world.BoundPods() != gangs * kGangSize) {
    fmt::print(stderr, "{} of {} pods are bound\n", world.BoundPods(), gangs * kGangSize);
    return false;
  }
  const std::vector<drive::Event> objects = world.AllObjects();
  const double before_mib = ResidentMib();
  const Rebuilt rebuilt = Rebuild(objects);
  const double after_mib = ResidentMib();
  if (rebuilt.scheduler->Fingerprint() != world.scheduler().Fingerprint()) {
    fmt::print(stderr, "the state that was rebuilt is not the one before\n");
    return false;
  }
  const auto views = rebuilt.scheduler->Groups();
  const auto started = std::ranges::count(views, core::GroupState::kStarted, &core::GroupView::state);
  if (static_cast<std::size_t>(started) != gangs) {
    fmt::print(stderr, "{} of {} gangs are known as started\n", started, gangs);
    return false;
  }
  PrintRow(name, "gangs", static_cast<double>(gangs), "");
  PrintRow(name, "scheduler_gangs_per_s", static_cast<double>(gangs) / scheduler_s, "1/s");
  PrintRow(name, "rebuild_s", rebuilt.settle_s, "s");
  PrintRow(name, "rebuild_fold_s", rebuilt.fold_s, "s");
  PrintRow(name, "rss_mib", after_mib - before_mib, "MiB");
  return true;
}

// A full cluster of 1,000 nodes, and so many groups of different shapes that wait for more than a rack. What
// a step costs when a rack becomes free (all of them could be let in, none is), when it is taken again, and
// when one more group comes.
bool RunPending(const CaseInput& input) {
  constexpr std::size_t kNodes = 1'000;
  const std::string name = fmt::format("growth/pending={}", input.size);
  ApiWorld world(kNodes);
  const auto foreign = [](std::size_t node) { return fmt::format("other-{}", node); };
  for (std::size_t node = 0; node < kNodes; ++node)
    world.AddForeign(foreign(node), node, kWhole);
  world.Run();
  for (std::size_t i = 0; i < input.size; ++i) {
    PodAsk ask = kWhole;
    ask.memory_mib += static_cast<std::int64_t>(i);
    world.AddJob(fmt::format("waits-{}", i), kNodesPerRack + 1 + i % kNodesPerRack, ask);
  }
  world.Run();
  std::vector<double> freed_ms;
  std::vector<double> taken_ms;
  std::vector<double> arrived_ms;
  for (Repetitions reps(31, input.budget_s); reps.Next();) {
    const std::size_t first = reps.done() % (kNodes / kNodesPerRack) * kNodesPerRack;
    const std::size_t last = std::min(first + kNodesPerRack, kNodes);
    for (std::size_t node = first; node < last; ++node)
      world.DeleteForeign(foreign(node));
    freed_ms.push_back(world.Run() * 1e3);
    for (std::size_t node = first; node < last; ++node)
      world.AddForeign(foreign(node), node, kWhole);
    taken_ms.push_back(world.Run() * 1e3);
    const std::string another = fmt::format("another-{}", reps.done());
    world.AddJob(another, kGangSize, kWhole);
    arrived_ms.push_back(world.Run() * 1e3);
    world.DeleteJob(another);
    world.Run();
  }
  if (world.BoundPods() != 0) {
    fmt::print(stderr, "a group that has no room was placed\n");
    return false;
  }
  PrintRow(name, "freed_ms", Median(freed_ms), "ms");
  PrintRow(name, "taken_ms", Median(taken_ms), "ms");
  PrintRow(name, "arrived_ms", Median(arrived_ms), "ms");
  return true;
}

}  // namespace cadre::bench

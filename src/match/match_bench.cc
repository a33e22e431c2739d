// How long one Match takes, "no" with its reasons included.
#include <benchmark/benchmark.h>

#include "match/testing.h"

namespace cadre::match {
namespace {

using testing::kRack;
using testing::kZone;
using testing::MakeNode;
using testing::MakeSpec;
using testing::World;

constexpr std::int64_t kGiB = std::int64_t{1} << 30U;

// Nodes of 64 CPU, 256 GiB and 8 GPUs, ten to a rack, ten racks to a zone; every third one half in use.
World MakeWorld(std::int64_t nodes) {
  World world;
  for (std::int64_t i = 0; i < nodes; ++i) {
    kube::Node node = MakeNode(
        fmt::format("node-{:06}", i), 64,
        {{std::string(kZone), fmt::format("z{}", i / 100)}, {std::string(kRack), fmt::format("r{}", i / 10)}},
        {{"memory", 256 * kGiB}, {"nvidia.com/gpu", 8}});
    const std::string name = node.metadata.name;
    world.Add(std::move(node));
    if (i % 3 == 0)
      world.Run(fmt::format("busy-{}", i), name,
                MakeSpec(32, {{"memory", 64 * kGiB}, {"nvidia.com/gpu", 4}}));
  }
  return world;
}

kube::PodSpec Worker() {
  return MakeSpec(8, {{"memory", 32 * kGiB}, {"nvidia.com/gpu", 1}});
}

void Run(benchmark::State& state, const World& world, const Request& request, bool placed) {
  for (auto _ : state) {
    const auto placement = Match(world.cluster(), request);
    if (placement.has_value() != placed) state.SkipWithError("the answer is not what this case is about");
    benchmark::DoNotOptimize(placement);
  }
}

void Gang(benchmark::State& state) {
  World world = MakeWorld(state.range(0));
  const Request request{world.Role(static_cast<std::size_t>(state.range(1)), Worker())};
  Run(state, world, request, true);
}
BENCHMARK(Gang)->Args({1000, 64})->Args({1000, 256})->Args({10000, 64})->Unit(benchmark::kMicrosecond);

void GangInOneRack(benchmark::State& state) {
  World world = MakeWorld(state.range(0));
  Request request{world.Role(64, Worker())};
  request.root.topology.required = std::string(kRack);
  Run(state, world, request, true);
}
BENCHMARK(GangInOneRack)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond);

// 32 jobs of 8, each in a rack of its choice.
void JobsInRacks(benchmark::State& state) {
  World world = MakeWorld(state.range(0));
  Unit job = world.Role(8, Worker());
  job.topology.required = std::string(kRack);
  const Request request{testing::Tree(std::vector<Unit>(32, job))};
  Run(state, world, request, true);
}
BENCHMARK(JobsInRacks)->Arg(1000)->Unit(benchmark::kMicrosecond);

void MixedRoles(benchmark::State& state) {
  World world = MakeWorld(state.range(0));
  const Request request{
      testing::Tree({world.Role(1, MakeSpec(2)), world.Role(16, MakeSpec(16, {{"memory", 64 * kGiB}})),
                     world.Role(64, Worker())})};
  Run(state, world, request, true);
}
BENCHMARK(MixedRoles)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond);

void GangApart(benchmark::State& state) {
  World world = MakeWorld(state.range(0));
  kube::PodSpec spec = Worker();
  spec.affinity.required_anti_pod = {testing::MakeTerm("app", "train", testing::kHost)};
  const Request request{world.Role(256, spec, {{"app", "train"}})};
  Run(state, world, request, true);
}
BENCHMARK(GangApart)->Arg(1000)->Unit(benchmark::kMicrosecond);

void GangSpreadOverZones(benchmark::State& state) {
  World world = MakeWorld(state.range(0));
  kube::PodSpec spec = Worker();
  spec.topology_spread = {testing::MakeSpread("app", "train", kZone)};
  const Request request{world.Role(256, spec, {{"app", "train"}})};
  Run(state, world, request, true);
}
BENCHMARK(GangSpreadOverZones)->Arg(1000)->Unit(benchmark::kMicrosecond);

void NotNow(benchmark::State& state) {
  World world = MakeWorld(state.range(0));
  const auto all = static_cast<std::size_t>(state.range(0) * 8);
  const Request request{world.Role(all, Worker())};
  Run(state, world, request, false);
}
BENCHMARK(NotNow)->Arg(1000)->Unit(benchmark::kMicrosecond);

void NotInOneRack(benchmark::State& state) {
  World world = MakeWorld(state.range(0));
  Request request{world.Role(75, Worker())};
  request.root.topology.required = std::string(kRack);
  Run(state, world, request, false);
}
BENCHMARK(NotInOneRack)->Arg(1000)->Unit(benchmark::kMicrosecond);

// Two roles that each fit a rack and together do not: the search has to find that out.
void MixedNotInOneRack(benchmark::State& state) {
  World world = MakeWorld(state.range(0));
  Request request{testing::Tree({world.Role(6, MakeSpec(40, {{"nvidia.com/gpu", 1}})),
                                 world.Role(10, MakeSpec(30, {{"nvidia.com/gpu", 4}}))})};
  request.root.topology.required = std::string(kRack);
  Run(state, world, request, false);
}
BENCHMARK(MixedNotInOneRack)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cadre::match

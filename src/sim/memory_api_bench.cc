// The life of a pod through the API in memory: created, bound, running, finished, deleted, with two watchers.
#include <benchmark/benchmark.h>

#include "sim/memory_api.h"
#include "sim/virtual_clock.h"

namespace cadre::sim {
namespace {

// About what a training pod with its template's environment looks like on the wire (2.4 KB).
json::object PodBody() {
  json::array env;
  for (int i = 0; i < 12; ++i) {
    env.push_back({{"name", fmt::format("VARIABLE_{}", i)}, {"value", fmt::format("value-number-{}", i)}});
  }
  json::object labels;
  json::object annotations;
  for (int i = 0; i < 8; ++i) {
    labels[fmt::format("jobset.sigs.k8s.io/label-{}", i)] = fmt::format("value-{}", i);
    annotations[fmt::format("jobset.sigs.k8s.io/annotation-{}", i)] = fmt::format("value-{}", i);
  }
  return {{"metadata", {{"generateName", "train-0-"}, {"labels", labels}, {"annotations", annotations}}},
          {"spec",
           {{"restartPolicy", "Never"},
            {"schedulerName", "cadre"},
            {"nodeSelector", {{"rack", "r1"}}},
            {"containers",
             json::array{{{"name", "main"},
                          {"image", "registry.example/train:1"},
                          {"command", json::array{"sleep", "30"}},
                          {"env", env},
                          {"resources",
                           {{"requests", {{"cpu", "4"}, {"memory", "16Gi"}, {"nvidia.com/gpu", "1"}}},
                            {"limits", {{"cpu", "4"}, {"memory", "16Gi"}, {"nvidia.com/gpu", "1"}}}}}}}}}}};
}

drive::Effect Of(drive::What what) {
  drive::Effect effect;
  effect.what = std::move(what);
  return effect;
}

void LifeOfAPod(MemoryApi& api, VirtualClock& clock, const json::object& body) {
  const auto write = [&](drive::What what) {
    drive::WriteResult result;
    api.Write("bench", Of(std::move(what)), [&](drive::WriteResult answer) { result = std::move(answer); });
    clock.Run(clock.Now());
    CADRE_ASSERT(result.outcome == drive::Outcome::kDone, result.message);
    return result;
  };
  const drive::WriteResult created = write(drive::Create{kube::Kind::kPod, "ns", body});
  const drive::Target pod{kube::Kind::kPod, "ns", created.object->Meta().name};
  write(drive::Bind{pod, "node-1", {{"cadre.dev/plan", "n1"}}});
  write(drive::PatchStatus{pod,
                           {{"status", {{"phase", "Running"}, {"startTime", FormatRfc3339(clock.Now())}}}}});
  write(drive::PatchStatus{pod, {{"status", {{"phase", "Succeeded"}}}}});
  write(drive::Delete{pod, drive::Propagation::kBackground, {}});
}

void BM_LifeOfAPod(benchmark::State& state) {
  VirtualClock clock{Time{}};
  MemoryApi api(clock);
  const json::object body = PodBody();
  std::uint64_t seen = 0;
  const auto one = api.Watch(kube::Kind::kPod, 0, [&](const drive::WatchEvent&) { ++seen; });
  const auto two = api.Watch(kube::Kind::kPod, 0, [&](const drive::WatchEvent&) { ++seen; });
  for (auto _ : state)
    LifeOfAPod(api, clock, body);
  state.counters["events"] = static_cast<double>(seen);
}
BENCHMARK(BM_LifeOfAPod)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cadre::sim

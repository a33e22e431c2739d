// What it costs to come to know a cluster: text to objects, objects to the state that decides.
#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "base/json.h"
#include "bench/match/cases.h"
#include "bench/match/fleet.h"
#include "bench/match/measure.h"
#include "kube/decode.h"

namespace cadre::bench {
namespace {

// As clients ask the API server for lists.
constexpr std::size_t kPage = 500;

// The objects of one page; what was only needed to read it is freed.
bool DecodePage(const std::string& text, std::vector<kube::Object>& objects) {
  json::value list = json::parse(text);
  for (json::value& item : list.as_object()["items"].as_array()) {
    auto object = kube::Decode(kube::Kind::kNode, std::move(item));
    if (!object) {
      fmt::print(stderr, "{}\n", object.error().message);
      return false;
    }
    object->raw = nullptr;
    objects.push_back(*std::move(object));
  }
  return true;
}

// Ready: a first pod has its place.
struct State {
  explicit State(const std::vector<kube::Object>& objects) : cluster({"cadre"}) {
    for (const kube::Object& object : objects)
      cluster.Apply(object, false);
    finder.emplace(cluster);
    match::Unit unit;
    const model::ShapeId shape = cluster.InternShape(MakePod("first", 0, kWorker)->spec, "team-a");
    unit.members.push_back({.shape = shape, .labels = {}, .fixed = {}, .hint = {}});
    ready = finder->Match({.root = unit}).has_value();
  }

  model::Cluster cluster;
  std::optional<match::Finder> finder;
  bool ready = false;
};

// Objects that were decoded lie between what was freed when they were, and what is made next goes there. So
// that this is not counted as nothing, the memory is that of copies, made one after the other.
bool MeasureMemory(const CaseInput& input) {
  const double empty_mib = ResidentMib();
  std::vector<kube::Object> objects;
  objects.reserve(input.size);
  for (std::size_t i = 0; i < input.size; ++i)
    objects.push_back(MakeNode(i));
  const double objects_mib = ResidentMib() - empty_mib;
  const State state(objects);
  const std::string name = SizeName(input.size);
  PrintRow(name, "rss_mib", ResidentMib() - empty_mib - objects_mib, "MiB");
  PrintRow(name, "objects_mib", objects_mib, "MiB");
  PrintRow(name, "index_mib", static_cast<double>(state.finder->MemoryBytes()) / (1024.0 * 1024.0), "MiB");
  return state.ready;
}

bool MeasureTime(const CaseInput& input) {
  std::vector<kube::Object> objects;
  objects.reserve(input.size);
  double decode_s = 0;
  std::size_t bytes = 0;
  for (std::size_t first = 0; first < input.size; first += kPage) {
    const std::string text = NodeListJson(first, std::min(kPage, input.size - first));
    bytes += text.size();
    const double start_s = CpuSeconds();
    if (!DecodePage(text, objects)) return false;
    decode_s += CpuSeconds() - start_s;
  }
  const double start_s = CpuSeconds();
  const State state(objects);
  const double load_s = CpuSeconds() - start_s;
  const std::string name = SizeName(input.size);
  PrintRow(name, "decode_cpu_s", decode_s, "s");
  PrintRow(name, "decode_mb_per_s", static_cast<double>(bytes) / 1e6 / decode_s, "MB/s");
  PrintRow(name, "load_cpu_s", load_s, "s");
  return state.ready;
}

}  // namespace

bool RunState(const CaseInput& input) {
  if (MeasureMemory(input) && MeasureTime(input)) return true;
  fmt::print(stderr, "the cluster cannot be read, or one pod does not fit it\n");
  return false;
}

}  // namespace cadre::bench

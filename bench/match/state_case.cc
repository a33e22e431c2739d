// What it costs to come to know a cluster: text to objects, objects to the state that decides.
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

}  // namespace

bool RunState(const CaseInput& input) {
  const std::string name = SizeName(input.size);
  std::vector<kube::Object> objects;
  objects.reserve(input.size);
  double decode_s = 0;
  std::size_t bytes = 0;
  const double before_mib = ResidentMib();
  for (std::size_t first = 0; first < input.size; first += kPage) {
    const std::string text = NodeListJson(first, std::min(kPage, input.size - first));
    bytes += text.size();
    const double start_s = CpuSeconds();
    if (!DecodePage(text, objects)) return false;
    decode_s += CpuSeconds() - start_s;
  }
  const double decoded_mib = ResidentMib();

  const double start_s = CpuSeconds();
  model::Cluster cluster({"cadre"});
  for (const kube::Object& object : objects)
    cluster.Apply(object, false);
  match::Finder finder(cluster);
  match::Unit unit;
  const model::ShapeId shape = cluster.InternShape(MakePod("first", 0, kWorker)->spec, "team-a");
  unit.members.push_back({.shape = shape, .labels = {}, .fixed = {}, .hint = {}});
  const bool placed = finder.Match({.root = unit}).has_value();
  const double load_s = CpuSeconds() - start_s;
  if (!placed) {
    fmt::print(stderr, "one pod does not fit an empty cluster\n");
    return false;
  }
  std::vector<kube::Object>().swap(objects);  // what is left is shared with the cluster
  const double loaded_mib = ResidentMib();

  PrintRow(name, "decode_cpu_s", decode_s, "s");
  PrintRow(name, "decode_mb_per_s", static_cast<double>(bytes) / 1e6 / decode_s, "MB/s");
  PrintRow(name, "load_cpu_s", load_s, "s");
  PrintRow(name, "rss_mib", loaded_mib - decoded_mib, "MiB");
  PrintRow(name, "objects_mib", decoded_mib - before_mib, "MiB");
  PrintRow(name, "index_mib", static_cast<double>(finder.MemoryBytes()) / (1024.0 * 1024.0), "MiB");
  return true;
}

}  // namespace cadre::bench

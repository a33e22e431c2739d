#include "bench/match/fleet.h"

#include <set>

#include <fmt/format.h>

#include "base/check.h"
#include "base/json.h"
#include "bench/match/measure.h"
#include "core/claims.h"
#include "core/plan.h"
#include "kube/decode.h"
#include "kube/node.h"
#include "match/node_table.h"

namespace cadre::bench {
namespace {

constexpr std::string_view kHost = "kubernetes.io/hostname";
constexpr std::int64_t kMib = std::int64_t{1} << 20U;
constexpr std::uint64_t kEpoch = 7;

std::string UidOf(std::size_t index) {
  return fmt::format("5f2d7a10-93c4-4b7e-8d21-{:012x}", index);
}
std::string ZoneOf(std::size_t node) {
  return fmt::format("zone-{}", node / kNodesPerRack / kRacksPerZone);
}
std::string RackOf(std::size_t node) {
  return fmt::format("rack-{}", node / kNodesPerRack);
}

std::string ImagesJson() {
  std::string text;
  for (int i = 0; i < 10; ++i) {
    const std::string image = fmt::format("registry.example.com/platform/component-{}", i);
    text += fmt::format(R"({}{{"names":["{}@sha256:{:064x}","{}:v1.{}.0"],"sizeBytes":{}}})",
                        i == 0 ? "" : ",", image, 7919 * (i + 1), image, i, 104857600 + i);
  }
  return text;
}

std::string ConditionJson(std::string_view type, std::string_view status, std::string_view reason) {
  return fmt::format(R"({{"type":"{}","status":"{}","reason":"{}","message":"kubelet says {}",
"lastHeartbeatTime":"2026-01-02T03:04:05Z","lastTransitionTime":"2026-01-01T00:00:00Z"}})",
                     type, status, reason, reason);
}

std::string MetadataJson(std::size_t index) {
  return fmt::format(
      R"({{"name":"{0}","uid":"{1}","resourceVersion":"{2}","creationTimestamp":"2026-01-01T00:00:00Z",
"labels":{{"beta.kubernetes.io/arch":"amd64","beta.kubernetes.io/os":"linux","kubernetes.io/arch":"amd64",
"kubernetes.io/hostname":"{0}","kubernetes.io/os":"linux","node.kubernetes.io/instance-type":"gpu-2x",
"nvidia.com/gpu.count":"2","nvidia.com/gpu.present":"true","pool":"gpu","topology.kubernetes.io/rack":"{3}",
"topology.kubernetes.io/zone":"{4}"}},"annotations":{{
"csi.volume.kubernetes.io/nodeid":"{{\"disk.csi.example.com\":\"{0}\"}}","node.alpha.kubernetes.io/ttl":"0",
"volumes.kubernetes.io/controller-managed-attach-detach":"true"}}}})",
      NodeName(index), UidOf(index), 1000 + index, RackOf(index), ZoneOf(index));
}

// Changing parts of a copy is a tenth of the work of decoding each.
kube::Node Prototype() {
  auto object = kube::Decode(json::parse(NodeJson(0)));
  CADRE_ASSERT(object.has_value(), object.error().message);
  return object->As<kube::Node>();
}

constexpr std::string_view kPodJson =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","generateName":"x-",
"namespace":"team-a","uid":"u","resourceVersion":"1","creationTimestamp":"2026-01-02T03:04:05Z","labels":{
"batch.kubernetes.io/controller-uid":"u","batch.kubernetes.io/job-completion-index":"0",
"batch.kubernetes.io/job-name":"x"},"annotations":{"batch.kubernetes.io/job-completion-index":"0"},"ownerReferences":[{
"apiVersion":"batch/v1","kind":"Job","name":"x","uid":"u","controller":true,"blockOwnerDeletion":true}],
"finalizers":["batch.kubernetes.io/job-tracking"]},"spec":{"containers":[{"name":"trainer",
"image":"registry.example.com/team-a/trainer:1.4.2","command":["python"],"args":["-m","train"],"ports":[{
"containerPort":29500,"protocol":"TCP"}],"resources":{"requests":{"cpu":"4","memory":"1Gi","nvidia.com/gpu":"1"}}}],
"restartPolicy":"Never","schedulerName":"cadre","tolerations":[{"key":"nvidia.com/gpu","operator":"Exists",
"effect":"NoSchedule"},{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",
"tolerationSeconds":300}],"priority":0},"status":{"phase":"Pending","qosClass":"Burstable"}})";

kube::Pod PodPrototype() {
  auto object = kube::Decode(json::parse(kPodJson));
  CADRE_ASSERT(object.has_value(), object.error().message);
  return object->As<kube::Pod>();
}

// The label that terms look for, on all pods that have any.
constexpr std::string_view kApp = "app";

void AddTerms(kube::Pod& pod, Terms terms) {
  if (terms == Terms::kNone) return;
  pod.metadata.labels[std::string(kApp)] = "train";
  const kube::LabelSelector alike{{{std::string(kApp), kube::SelectorOperator::kIn, {"train"}}}};
  if (terms == Terms::kApart) {
    kube::PodAffinityTerm term;
    term.label_selector = alike;
    term.topology_key = std::string(kHost);
    pod.spec.affinity.required_anti_pod.push_back(std::move(term));
  } else {
    kube::TopologySpreadConstraint spread;
    spread.topology_key = std::string(kRack);
    spread.label_selector = alike;
    pod.spec.topology_spread.push_back(std::move(spread));
  }
}

std::string UnitName(const std::string& gang, const GangAsk& ask, std::size_t unit) {
  return ask.units.size() == 1 ? gang : fmt::format("{}-{}", gang, unit);
}

}  // namespace

std::string SizeName(std::size_t nodes) {
  return nodes % 1000 == 0 ? fmt::format("{}k", nodes / 1000) : std::to_string(nodes);
}

std::string NodeName(std::size_t index) {
  return fmt::format("node-{:06}", index);
}

std::string NodeJson(std::size_t index) {
  static const std::string images = ImagesJson();
  static const std::string conditions =
      ConditionJson("MemoryPressure", "False", "KubeletHasSufficientMemory") + "," +
      ConditionJson("DiskPressure", "False", "KubeletHasNoDiskPressure") + "," +
      ConditionJson("PIDPressure", "False", "KubeletHasSufficientPID") + "," +
      ConditionJson("Ready", "True", "KubeletReady");
  constexpr std::string_view kAmounts = R"({"cpu":"8","ephemeral-storage":"907Gi","hugepages-1Gi":"0",
"hugepages-2Mi":"0","memory":"32Gi","nvidia.com/gpu":"2","pods":"110"})";
  return fmt::format(R"({{"apiVersion":"v1","kind":"Node","metadata":{0},"spec":{{"podCIDR":"10.0.0.0/24",
"podCIDRs":["10.0.0.0/24"],"providerID":"example://{1}"}},"status":{{"addresses":[{{"address":"10.1.2.3",
"type":"InternalIP"}},{{"address":"{1}","type":"Hostname"}}],"allocatable":{2},"capacity":{2},"conditions":[{3}],
"daemonEndpoints":{{"kubeletEndpoint":{{"Port":10250}}}},"images":[{4}],"nodeInfo":{{"architecture":"amd64",
"bootID":"{5}","containerRuntimeVersion":"containerd://2.1.4","kernelVersion":"6.1.0-38-amd64","kubeProxyVersion":"",
"kubeletVersion":"v1.34.1","machineID":"0123456789abcdef0123456789abcdef","operatingSystem":"linux",
"osImage":"Debian GNU/Linux 12","systemUUID":"{5}"}}}}}})",
                     MetadataJson(index), NodeName(index), kAmounts, conditions, images, UidOf(index));
}

std::string NodeListJson(std::size_t first, std::size_t count) {
  std::string text =
      R"({"apiVersion":"v1","kind":"NodeList","metadata":{"resourceVersion":"200000"},"items":[)";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += NodeJson(first + i);
  }
  return text + R"(]})";
}

kube::Object MakeNode(std::size_t index) {
  static const kube::Node prototype = Prototype();
  auto node = std::make_shared<kube::Node>(prototype);
  node->metadata.name = NodeName(index);
  node->metadata.uid = UidOf(index);
  node->metadata.resource_version = 1000 + index;
  node->metadata.labels[std::string(kHost)] = NodeName(index);
  node->metadata.labels[std::string(kRack)] = RackOf(index);
  node->metadata.labels[std::string(kZone)] = ZoneOf(index);
  return {.kind = kube::Kind::kNode, .body = std::move(node), .raw = nullptr};
}

std::shared_ptr<kube::Pod> MakePod(const std::string& job, std::size_t index, const PodAsk& ask) {
  static const kube::Pod prototype = PodPrototype();
  auto pod = std::make_shared<kube::Pod>(prototype);
  kube::ObjectMeta& meta = pod->metadata;
  meta.name = fmt::format("{}-{}-x7k2p", job, index);
  meta.generate_name = fmt::format("{}-{}-", job, index);
  meta.uid = fmt::format("{}/{}", job, index);
  meta.labels["batch.kubernetes.io/controller-uid"] = "job-" + job;
  meta.labels["batch.kubernetes.io/job-name"] = job;
  meta.labels["batch.kubernetes.io/job-completion-index"] = std::to_string(index);
  meta.annotations["batch.kubernetes.io/job-completion-index"] = std::to_string(index);
  meta.owner_references[0].name = job;
  meta.owner_references[0].uid = "job-" + job;
  kube::ResourceList& requests = pod->spec.containers[0].requests;
  requests["cpu"] = ask.cores * 1000;
  requests["memory"] = ask.memory_mib * kMib;
  if (ask.gpus > 0) {
    requests["nvidia.com/gpu"] = ask.gpus;
  } else {
    requests.erase("nvidia.com/gpu");
  }
  AddTerms(*pod, ask.terms);
  return pod;
}

std::size_t MemberCount(const GangAsk& ask) {
  std::size_t count = 0;
  for (const UnitAsk& unit : ask.units)
    count += unit.members;
  return count;
}

Fleet::Fleet(std::size_t nodes) : size_(nodes), cluster_({"cadre"}) {
  for (std::size_t i = 0; i < nodes; ++i)
    cluster_.Apply(MakeNode(i), false);
}

match::Finder& Fleet::finder() {
  if (!finder_) finder_.emplace(cluster_);
  return *finder_;
}

void Fleet::Run(const std::string& gang, std::size_t index, std::size_t node, const PodAsk& ask) {
  auto pod = MakePod(gang, index, ask);
  pod->spec.node_name = NodeName(node);
  const std::string uid = pod->metadata.uid;
  cluster_.Apply(ObjectOf(std::move(pod)), false);
  cluster_.SetTenant(cluster_.FindPod(uid), cluster_.InternTenant({gang, gang}));
}

Gang Fleet::Arrive(const std::string& name, const GangAsk& ask, double* cpu_s) {
  Gang gang;
  gang.name = name;
  std::vector<model::Tenant> tenants;
  for (std::size_t unit = 0; unit < ask.units.size(); ++unit) {
    const std::string unit_name = UnitName(name, ask, unit);
    for (std::size_t i = 0; i < ask.units[unit].members; ++i) {
      gang.pods.push_back(MakePod(unit_name, i, ask.units[unit].pod));
      tenants.push_back({name, unit_name});
    }
  }
  const double start_s = CpuSeconds();
  gang.ids.reserve(gang.pods.size());
  for (std::size_t i = 0; i < gang.pods.size(); ++i) {
    cluster_.Apply(ObjectOf(gang.pods[i]), false);
    const model::PodId id = cluster_.FindPod(gang.pods[i]->metadata.uid);
    cluster_.SetTenant(id, cluster_.InternTenant(tenants[i]));
    gang.ids.push_back(id);
  }
  if (cpu_s != nullptr) *cpu_s += CpuSeconds() - start_s;
  gang.request = RequestOf(name, ask);
  return gang;
}

match::Request Fleet::RequestOf(const std::string& name, const GangAsk& ask) {
  match::Request request;
  request.group = name;
  request.root.name = "Job team-a/" + name;
  request.root.topology = ask.topology;
  for (std::size_t i = 0; i < ask.units.size(); ++i) {
    match::Unit unit;
    unit.name = UnitName(name, ask, i);
    unit.topology = ask.units[i].topology;
    const auto pod = MakePod(name, 0, ask.units[i].pod);
    match::Member member{
        .shape = cluster_.InternShape(pod->spec, "team-a"), .labels = {}, .fixed = {}, .hint = {}};
    // As core's request builder: labels that nobody looks at are left out.
    if (ask.units[i].pod.terms != Terms::kNone) member.labels = pod->metadata.labels;
    unit.members.assign(ask.units[i].members, member);
    request.root.units.push_back(std::move(unit));
  }
  return request;
}

// The exclusive domains of a placement become claims and their annotation, as core's WriteClaims does it.
void Fleet::Claim(Gang& gang, const match::Placement& placement) {
  std::vector<core::ClaimEntry> entries;
  const auto add = [&](const std::string& unit, const std::string& key, std::size_t member) {
    if (key.empty()) return;
    const kube::Node& node = *cluster_.node(placement.nodes[member]).node;
    core::ClaimEntry entry{unit, key, match::PathValuesOf(node, key)};
    const model::Tenant holder{gang.name, unit};
    cluster_.SetClaim({.holder = holder,
                       .key = key,
                       .path = entry.path,
                       .scope = model::ExclusiveScope::kGroups,
                       .text = gang.request.root.name});
    gang.claimed.push_back(holder);
    entries.push_back(std::move(entry));
  };
  add({}, gang.request.root.topology.exclusive, 0);
  std::size_t member = 0;
  for (const match::Unit& unit : gang.request.root.units) {
    add(unit.name, unit.topology.exclusive, member);
    member += unit.members.size();
  }
  if (entries.empty()) return;
  const std::string text = core::EncodeClaims(entries, kEpoch);
  CADRE_ASSERT(!text.empty(), "claims without a text");
}

std::optional<double> Fleet::Place(Gang& gang) {
  match::Finder& finder = this->finder();
  const double start_s = CpuSeconds();
  const auto placement = finder.Match(gang.request);
  if (!placement) return std::nullopt;
  core::Plan plan;
  std::size_t member = 0;
  for (const match::Unit& unit : gang.request.root.units) {
    for (std::size_t i = 0; i < unit.members.size(); ++i, ++member) {
      const model::NodeId node = placement->nodes[member];
      plan.Put(unit.name, static_cast<std::int32_t>(i), cluster_.node(node).name);
      cluster_.Assume(gang.ids[member], node);
    }
  }
  Claim(gang, *placement);
  const std::string text = plan.Encode(kEpoch);
  const double cpu_s = CpuSeconds() - start_s;
  CADRE_ASSERT(!text.empty(), "a plan without a text");
  return cpu_s;
}

double Fleet::Leave(Gang& gang) {
  const double start_s = CpuSeconds();
  for (const auto& pod : gang.pods)
    cluster_.Apply(ObjectOf(pod), true);
  for (const model::Tenant& holder : gang.claimed)
    cluster_.DropClaim(holder);
  gang.claimed.clear();
  return CpuSeconds() - start_s;
}

std::vector<model::NodeId> Fleet::NodesOf(const Gang& gang) const {
  std::vector<model::NodeId> nodes;
  for (const model::PodId id : gang.ids)
    nodes.push_back(cluster_.pod(id).node);
  return nodes;
}

Quality QualityOf(const model::Cluster& cluster, const std::vector<model::NodeId>& nodes) {
  const auto label = [&](model::NodeId id, std::string_view key) -> const std::string& {
    return cluster.node(id).node->metadata.labels.find(key)->second;
  };
  std::set<model::NodeId> distinct(nodes.begin(), nodes.end());
  std::set<std::string> racks;
  for (const model::NodeId id : distinct)
    racks.insert(label(id, kRack));
  double distance = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i] == nodes[i - 1]) continue;
    distance += label(nodes[i], kRack) == label(nodes[i - 1], kRack)   ? 1
                : label(nodes[i], kZone) == label(nodes[i - 1], kZone) ? 2
                                                                       : 3;
  }
  const double pairs = nodes.size() > 1 ? static_cast<double>(nodes.size() - 1) : 1.0;
  return {.nodes = static_cast<double>(distinct.size()),
          .racks = static_cast<double>(racks.size()),
          .neighbour_distance = distance / pairs};
}

}  // namespace cadre::bench

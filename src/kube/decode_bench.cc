// What reading costs: one pod from its parsed JSON, its JSON itself, and the same pod as YAML.
#include <benchmark/benchmark.h>
#include <boost/json/parse.hpp>

#include "kube/decode.h"
#include "kube/pod.h"
#include "kube/resources.h"
#include "kube/yaml.h"

namespace {

using namespace cadre::kube;
namespace json = boost::json;

// A pod of an Indexed Job as the API server returns it, without managedFields: 2.4 KB.
constexpr std::string_view kPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"train-workers-0-17-x7k2p","generateName":"train-workers-0-17-",
"namespace":"team-a","uid":"2f1a7c3e-9b54-4d0e-8a61-3c5d7e9f1a2b","resourceVersion":"81234567","generation":1,
"creationTimestamp":"2026-01-02T03:04:05Z","labels":{"batch.kubernetes.io/controller-uid":"0b9c8d7e-1111-2222-3333-444455556666",
"batch.kubernetes.io/job-completion-index":"17","batch.kubernetes.io/job-name":"train-workers-0",
"jobset.sigs.k8s.io/job-index":"0","jobset.sigs.k8s.io/jobset-name":"train","jobset.sigs.k8s.io/replicatedjob-name":"workers",
"jobset.sigs.k8s.io/restart-attempt":"0"},"annotations":{"batch.kubernetes.io/job-completion-index":"17",
"jobset.sigs.k8s.io/jobset-name":"train","jobset.sigs.k8s.io/replicatedjob-name":"workers"},
"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"train-workers-0","uid":"0b9c8d7e-1111-2222-3333-444455556666",
"controller":true,"blockOwnerDeletion":true}],"finalizers":["batch.kubernetes.io/job-tracking"]},
"spec":{"containers":[{"name":"trainer","image":"registry.example.com/team-a/trainer:1.4.2","command":["python"],
"args":["-m","train","--config","/etc/train/config.yaml"],"env":[{"name":"JOB_COMPLETION_INDEX","valueFrom":{"fieldRef":
{"fieldPath":"metadata.annotations['batch.kubernetes.io/job-completion-index']"}}},{"name":"NCCL_DEBUG","value":"INFO"}],
"ports":[{"containerPort":29500,"protocol":"TCP"}],"resources":{"limits":{"cpu":"96","memory":"1000Gi","nvidia.com/gpu":"8"},
"requests":{"cpu":"96","memory":"1000Gi","nvidia.com/gpu":"8"}},"volumeMounts":[{"name":"config","mountPath":"/etc/train"}],
"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],
"volumes":[{"name":"config","configMap":{"name":"train-config"}},{"name":"data","persistentVolumeClaim":{"claimName":"data"}}],
"restartPolicy":"Never","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","nodeSelector":{"pool":"gpu"},
"hostname":"train-workers-0-17","subdomain":"train","schedulerName":"cadre","tolerations":[{"key":"nvidia.com/gpu",
"operator":"Exists","effect":"NoSchedule"},{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",
"tolerationSeconds":300}],"priority":1000,"enableServiceLinks":true},"status":{"phase":"Pending","qosClass":"Guaranteed"}})";

void DecodePod(benchmark::State& state) {
  const auto raw = std::make_shared<const json::value>(json::parse(kPod));
  for (auto _ : state)
    benchmark::DoNotOptimize(DecodeFields(Kind::kPod, raw));
}
BENCHMARK(DecodePod);

void ParseJsonOfPod(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(json::parse(kPod));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kPod.size()));
}
BENCHMARK(ParseJsonOfPod);

void ParseYamlOfPod(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(ParseYaml({.text = kPod, .first_line = 1}));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kPod.size()));
}
BENCHMARK(ParseYamlOfPod);

void AddUpRequestsOfPod(benchmark::State& state) {
  const auto object = Decode(json::parse(kPod));
  for (auto _ : state)
    benchmark::DoNotOptimize(PodRequests(object->As<Pod>()));
}
BENCHMARK(AddUpRequestsOfPod);

}  // namespace

#include "app/workload_jobs.h"

#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "app/input.h"
#include "base/json.h"
#include "kube/decode.h"
#include "kube/resources.h"

namespace cadre::app {

namespace {

// Leaves room for what Kubernetes appends to make the names of pods.
constexpr std::size_t kLongestName = 40;

std::string TimeText(Duration duration) {
  return duration.count() % 1000 == 0 ? fmt::format("{}s", duration.count() / 1000)
                                      : fmt::format("{}ms", duration.count());
}

// Lower case letters, digits and '-', beginning with a letter.
std::string ValidName(const WorkloadJob& job) {
  std::string name;
  for (const char c : job.name.substr(0, kLongestName)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool valid = byte < 128 && std::isalnum(byte) != 0;
    if (valid || (!name.empty() && name.back() != '-'))
      name += valid ? static_cast<char>(std::tolower(byte)) : '-';
  }
  while (name.ends_with('-'))
    name.pop_back();
  if (name.empty()) return fmt::format("job-line-{}", job.line);
  return std::isalpha(static_cast<unsigned char>(name.front())) != 0 ? name : "job-" + name;
}

std::string UniqueName(const WorkloadJob& job, std::set<std::string>& names) {
  const std::string wanted = ValidName(job);
  std::string name = wanted;
  for (std::size_t i = 2; !names.insert(name).second; ++i)
    name = i == 2 ? fmt::format("{}-line-{}", wanted, job.line)
                  : fmt::format("{}-line-{}-{}", wanted, job.line, i - 1);
  return name;
}

std::string PriorityClassName(std::int32_t priority) {
  return priority < 0 ? fmt::format("trace-priority-minus-{}", -std::int64_t{priority})
                      : fmt::format("trace-priority-{}", priority);
}

json::object PodTemplate(const WorkloadJob& job) {
  json::object requests;
  json::object limits;
  for (const auto& [resource, quantity] : job.requests) {
    requests[resource] = quantity;
    // Kubernetes wants both for extended resources.
    if (kube::IsExtended(resource)) limits[resource] = quantity;
  }
  json::object resources{{"requests", std::move(requests)}};
  if (!limits.empty()) resources["limits"] = std::move(limits);
  json::object spec{
      {"schedulerName", "cadre"},
      {"restartPolicy", "Never"},
      {"containers",
       json::array{json::object{{"name", "main"}, {"image", "trace"}, {"resources", std::move(resources)}}}}};
  if (job.priority) spec["priorityClassName"] = PriorityClassName(*job.priority);
  return {{"metadata", {{"annotations", {{"cadre.dev/sim-duration", TimeText(job.run)}}}}},
          {"spec", std::move(spec)}};
}

json::object JobManifest(const WorkloadJob& job, const std::string& name) {
  json::object annotations{{kSubmitAnnotation, TimeText(job.submit)}};
  if (job.requested) annotations["cadre.dev/max-duration"] = TimeText(*job.requested);
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", name}, {"namespace", "default"}, {"annotations", std::move(annotations)}}},
          {"spec",
           {{"completionMode", "Indexed"},
            {"completions", job.pods},
            {"parallelism", job.pods},
            {"template", PodTemplate(job)}}}};
}

json::object PriorityClassManifest(std::int32_t priority) {
  return {{"apiVersion", "scheduling.k8s.io/v1"},
          {"kind", "PriorityClass"},
          {"metadata", {{"name", PriorityClassName(priority)}}},
          {"value", priority}};
}

void Add(json::object manifest, const kube::Source& source, kube::Manifests& out) {
  Result<kube::Object> object = kube::Decode(std::move(manifest));
  if (object)
    out.objects.push_back({*std::move(object), source});
  else
    out.problems.push_back({.source = source, .field = {}, .message = object.error().message});
}

}  // namespace

void AddWorkloadJobs(const Workload& workload, std::set<std::string>& names, kube::Manifests& out) {
  for (const WorkloadJob& job : workload.jobs) {
    const kube::Source source{.file = workload.file, .document = 0, .line = job.line};
    // Two traces may have the same priorities. '/' keeps these names apart from those of jobs.
    if (job.priority && names.insert("class/" + PriorityClassName(*job.priority)).second)
      Add(PriorityClassManifest(*job.priority), source, out);
    Add(JobManifest(job, UniqueName(job, names)), source, out);
  }
}

}  // namespace cadre::app

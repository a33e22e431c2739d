#include "app/run_size.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "kube/job.h"
#include "kube/jobset.h"

namespace cadre::app {

namespace {

std::int64_t PodsOf(const kube::JobSpec& spec) {
  return std::max<std::int64_t>(spec.completions ? *spec.completions : spec.parallelism.value_or(1), 0);
}

// REQUIRES: neither is negative.
std::int64_t AddSaturating(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

// The field by which the number comes down.
std::string_view FieldOf(const kube::Object& object) {
  if (object.kind == kube::Kind::kJobSet)
    return "spec.replicatedJobs: replicas, and completions or parallelism of their Jobs";
  return object.kind == kube::Kind::kJob && object.As<kube::Job>().spec.completions ? "spec.completions"
                                                                                    : "spec.parallelism";
}

}  // namespace

std::int64_t PodsToMake(const kube::Object& object) {
  if (object.kind == kube::Kind::kPod) return 1;
  if (object.kind == kube::Kind::kJob) {
    const kube::Job& job = object.As<kube::Job>();
    return std::max<std::int64_t>(PodsOf(job.spec) - job.status.succeeded, 0);
  }
  if (object.kind != kube::Kind::kJobSet) return 0;
  std::int64_t pods = 0;
  for (const kube::ReplicatedJob& replicated : object.As<kube::JobSet>().spec.replicated_jobs)
    pods = AddSaturating(pods, std::max<std::int64_t>(replicated.replicas, 0) * PodsOf(replicated.job));
  return pods;
}

std::optional<std::string> TooManyPods(const kube::Object& object) {
  const std::int64_t pods = PodsToMake(object);
  if (pods <= kMostPodsOfARun) return std::nullopt;
  return fmt::format("{}: found {} pods until {} is complete, a simulation makes at most {}", FieldOf(object),
                     pods, kube::Describe(object), kMostPodsOfARun);
}

std::size_t PodsOfAnEndlessRun(const SimulationInput& input) {
  constexpr std::int64_t kAnyway = 10'000;  // seconds of work, for inputs of a few pods with a long history
  constexpr std::int64_t kOfEach = 50;      // restarts, retries of an index and evictions together
  std::int64_t asked = 0;
  for (const kube::Object& object : input.cluster)
    asked = AddSaturating(asked, PodsToMake(object));
  for (const Submission& submission : input.submissions)
    asked = AddSaturating(asked, PodsToMake(submission.object));
  asked = std::min(asked, kMostPodsOfARun);
  return static_cast<std::size_t>(std::min(kAnyway + kOfEach * asked, 2 * kMostPodsOfARun));
}

std::optional<std::string> TooManyPods(const SimulationInput& input) {
  std::int64_t total = 0;
  std::int64_t most = -1;
  std::string largest;
  const auto add = [&](const kube::Object& object) {
    const std::int64_t pods = PodsToMake(object);
    total = AddSaturating(total, pods);
    if (pods <= most) return;
    most = pods;
    largest = kube::Describe(object);
  };
  for (const kube::Object& object : input.cluster)
    add(object);
  for (const Submission& submission : input.submissions)
    add(submission.object);
  if (total <= kMostPodsOfARun) return std::nullopt;
  return fmt::format(
      "the input makes {} pods in all ({}: {}), one run simulates at most {}: simulate parts of it, or lower "
      "spec.completions",
      total, largest, most, kMostPodsOfARun);
}

}  // namespace cadre::app

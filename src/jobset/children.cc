#include "jobset/children.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/check.h"

namespace cadre::jobset {
namespace {

std::optional<std::int32_t> AttemptOf(const kube::ObjectMeta& meta) {
  const auto label = meta.labels.find(kube::kRestartAttemptLabel);
  if (label == meta.labels.end()) {
    return std::nullopt;
  }
  std::int32_t attempt = 0;
  const char* end = label->second.data() + label->second.size();
  const auto [stop, error] = std::from_chars(label->second.data(), end, attempt);
  return error == std::errc() && stop == end ? std::optional(attempt) : std::nullopt;
}

}  // namespace

Result<Children> SortChildren(const kube::JobSet& jobset, std::span<const kube::Object> jobs) {
  Children children;
  for (const kube::Object& object : jobs) {
    Child child{.object = object, .job = &object.As<kube::Job>(), .replicated_job = {}};
    const kube::StringMap& labels = child.job->metadata.labels;
    const auto replicated_job = labels.find(kube::kReplicatedJobNameLabel);
    const std::optional<std::int32_t> attempt = AttemptOf(child.job->metadata);
    if (!attempt || replicated_job == labels.end()) {
      return Err("{}: label {} is missing or no number; delete the Job, it will be made again",
                 kube::Describe(object),
                 attempt ? kube::kReplicatedJobNameLabel : kube::kRestartAttemptLabel);
    }
    child.replicated_job = replicated_job->second;
    if (*attempt < jobset.status.restarts) {
      children.previous.push_back(std::move(child));
    } else if (kube::FindTrue(child.job->status.conditions, "Failed") != nullptr) {
      children.failed.push_back(std::move(child));
    } else if (kube::FindTrue(child.job->status.conditions, "Complete") != nullptr) {
      children.succeeded.push_back(std::move(child));
    } else {
      children.active.push_back(std::move(child));
    }
  }
  for (auto* list : {&children.previous, &children.active, &children.succeeded, &children.failed}) {
    std::ranges::sort(*list, {}, [](const Child& child) { return std::string_view(child.name()); });
  }
  return children;
}

const kube::Condition& FailureOf(const Child& failed) {
  const kube::Condition* condition = kube::FindTrue(failed.job->status.conditions, "Failed");
  CADRE_ASSERT(condition != nullptr, "FailureOf a Job that has not failed");
  return *condition;
}

bool Targets(const std::vector<std::string>& targets, std::string_view replicated_job) {
  return targets.empty() || std::ranges::find(targets, replicated_job) != targets.end();
}

}  // namespace cadre::jobset

#include "groups/bounds.h"

#include <algorithm>

#include "groups/annotations.h"
#include "groups/catalog.h"

namespace cadre::groups {
namespace {

// A hundred years: what is longer says nothing, and would overflow.
constexpr Duration kLongest = std::chrono::hours(24 * 36'525);

template <class T>
std::optional<T> Smaller(const std::optional<T>& a, const std::optional<T>& b) {
  if (a && b) return std::min(*a, *b);
  return a ? a : b;
}

std::optional<Duration> Seconds(std::optional<std::int64_t> seconds) {
  const auto most = std::chrono::duration_cast<std::chrono::seconds>(kLongest).count();
  if (!seconds || *seconds <= 0 || *seconds >= most) return std::nullopt;
  return Duration(*seconds * 1000);
}

std::optional<Duration> AnnotationIn(const kube::StringMap& map) {
  const std::string_view text = ValueOf(map, kMaxDurationAnnotation);
  if (text.empty()) return std::nullopt;
  const Result<Duration> duration = ParseDuration(text);
  if (!duration || *duration <= Duration(0) || *duration >= kLongest) return std::nullopt;
  return *duration;
}

// How often a Job makes pods one after another until it has its completions.
std::int64_t TurnsOf(const kube::JobSpec& job) {
  const std::int64_t at_once = std::max<std::int32_t>(1, job.parallelism.value_or(1));
  const std::int64_t wanted = job.completions.value_or(1);
  return std::max<std::int64_t>(1, (wanted + at_once - 1) / at_once);
}

std::optional<Duration> LongestOf(const kube::StringMap& job_annotations, const kube::JobSpec& job) {
  std::optional<Duration> pods = Seconds(job.pod_template.spec.active_deadline_seconds);
  const std::int64_t turns = TurnsOf(job);
  if (pods) pods = *pods < kLongest / turns ? std::optional(*pods * turns) : std::nullopt;
  return Smaller(Smaller(Seconds(job.active_deadline_seconds), pods),
                 ReadMaxDuration(job_annotations, job.pod_template.annotations));
}

// The longer of both, as long as nobody says nothing.
void Widen(RunBound& all, const RunBound& one) {
  all.longest =
      all.longest && one.longest ? std::optional(std::max(*all.longest, *one.longest)) : std::nullopt;
  all.ends_by =
      all.ends_by && one.ends_by ? std::optional(std::max(*all.ends_by, *one.ends_by)) : std::nullopt;
}

}  // namespace

std::optional<Duration> ReadMaxDuration(const kube::StringMap& owner, const kube::StringMap& pod_template) {
  return Smaller(AnnotationIn(owner), AnnotationIn(pod_template));
}

RunBound Tighter(const RunBound& a, const RunBound& b) {
  return {Smaller(a.longest, b.longest), Smaller(a.ends_by, b.ends_by)};
}

RunBound BoundOf(const kube::Job& job) {
  RunBound bound{LongestOf(job.metadata.annotations, job.spec), std::nullopt};
  const std::optional<Duration> deadline = Seconds(job.spec.active_deadline_seconds);
  if (deadline && job.status.start_time) bound.ends_by = *job.status.start_time + *deadline;
  return bound;
}

RunBound BoundOf(const kube::JobSet& jobset, const std::vector<ChildJob>& children) {
  if (const auto own = ReadMaxDuration(jobset.metadata.annotations, {})) return {own, std::nullopt};
  std::optional<RunBound> all;
  for (const ChildJob& child : children) {
    if (child.job != nullptr && kube::IsFinished(*child.job)) continue;
    const RunBound one =
        child.job != nullptr
            ? BoundOf(*child.job)
            : RunBound{LongestOf(child.replicated->job_annotations, child.replicated->job), {}};
    if (all) {
      Widen(*all, one);
    } else {
      all = one;
    }
  }
  return all.value_or(RunBound{});
}

RunBound BoundOf(const kube::StringMap& owner_annotations, const std::vector<const kube::Pod*>& members) {
  std::optional<RunBound> all;
  for (const kube::Pod* pod : members) {
    const RunBound one{Smaller(Seconds(pod->spec.active_deadline_seconds),
                               ReadMaxDuration(owner_annotations, pod->metadata.annotations)),
                       {}};
    if (all) {
      Widen(*all, one);
    } else {
      all = one;
    }
  }
  return all.value_or(RunBound{ReadMaxDuration(owner_annotations, {}), {}});
}

}  // namespace cadre::groups

// EASY against a slow reference: the same jobs start at the same times.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "core/scheduler_testing.h"

namespace cadre::core {
namespace {

struct BatchJob {
  int submit = 0;            // seconds
  int size = 1;              // places
  int run = 1;               // seconds
  std::optional<int> bound;  // at least `run`; none: nobody says
};

// Start times, by job; the textbook rule over places that are all alike. Every job is small enough for the
// cluster.
class Reference {
 public:
  Reference(const std::vector<BatchJob>& jobs, int places)
      : jobs_(jobs), free_(places), starts_(jobs.size(), -1) {}

  std::vector<int> Run() {
    for (int now = 0; std::ranges::count(starts_, -1) > 0; ++now) {
      for (std::size_t i = 0; i < jobs_.size(); ++i) {
        if (starts_[i] >= 0 && starts_[i] + jobs_[i].run == now) free_ += jobs_[i].size;
      }
      Schedule(now);
    }
    return starts_;
  }
  int passed() const { return passed_; }
  int stopped() const { return stopped_; }

 private:
  void Start(std::size_t job, int now) {
    starts_[job] = now;
    free_ -= jobs_[job].size;
  }
  bool Runs(std::size_t job, int now) const {
    return starts_[job] >= 0 && starts_[job] + jobs_[job].run > now;
  }

  // When the head can start and what is left beside it then; none: not before something ends that nobody
  // knows of.
  std::optional<std::pair<int, int>> ShadowOf(std::size_t head, int now) const {
    std::map<int, int> ends;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (Runs(i, now) && jobs_[i].bound) ends[starts_[i] + *jobs_[i].bound] += jobs_[i].size;
    }
    int free = free_;
    for (const auto& [end, size] : ends) {
      free += size;
      if (free >= jobs_[head].size) return std::pair(end, free - jobs_[head].size);
    }
    return std::nullopt;
  }

  void Schedule(int now) {
    std::optional<std::size_t> head;
    std::optional<std::pair<int, int>> shadow;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const BatchJob& job = jobs_[i];
      if (starts_[i] >= 0 || job.submit > now) continue;
      const bool fits = job.size <= free_;
      if (!head) {
        if (fits) {
          Start(i, now);
        } else {
          head = i;
          shadow = ShadowOf(i, now);
        }
        continue;
      }
      if (!fits) continue;
      if (!shadow || (job.bound && now + *job.bound <= shadow->first)) {
        Start(i, now);
        ++passed_;
      } else if (job.size <= shadow->second) {
        Start(i, now);
        shadow->second -= job.size;
        ++passed_;
      } else {
        ++stopped_;
      }
    }
  }

  const std::vector<BatchJob>& jobs_;
  int free_;
  std::vector<int> starts_;
  int passed_ = 0;
  int stopped_ = 0;
};

std::string NameOf(std::size_t job) {
  return fmt::format("job-{:03}", job);
}

// The scheduler on the same jobs: each place is a CPU of a node.
class Played {
 public:
  Played(const std::vector<BatchJob>& jobs, int nodes, int cpus, Options options)
      : jobs_(jobs), world_(std::move(options)), starts_(jobs.size(), -1) {
    world_.AddNodes(nodes, cpus);
  }

  std::vector<int> Run(int until) {
    for (int now = 0; now <= until && std::ranges::count(starts_, -1) > 0; ++now) {
      for (std::size_t i = 0; i < jobs_.size(); ++i) {
        if (starts_[i] >= 0 && starts_[i] + jobs_[i].run == now) world_.DeletePodsOf(NameOf(i));
        if (jobs_[i].submit == now) Submit(i);
      }
      world_.Run();
      NoteStarts(now);
      world_.PassSeconds(1);
    }
    return starts_;
  }

 private:
  void Submit(std::size_t i) {
    world_.AddJob(NameOf(i), jobs_[i].size,
                  jobs_[i].bound ? fmt::format("cadre.dev/max-duration: {}s", *jobs_[i].bound) : "");
    world_.AddPods(NameOf(i), jobs_[i].size);
  }
  void NoteStarts(int now) {
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (starts_[i] >= 0 || jobs_[i].submit > now || world_.CountBound(NameOf(i)) == 0) continue;
      starts_[i] = now;
      for (int pod = 0; pod < jobs_[i].size; ++pod) {
        world_.Change(kube::Kind::kPod, fmt::format("{}-{}", NameOf(i), pod),
                      fmt::format(R"({{"status":{{"startTime":"{}"}}}})", FormatRfc3339(world_.now())));
      }
    }
  }

  const std::vector<BatchJob>& jobs_;
  SchedulerWorld world_;
  std::vector<int> starts_;
};

std::vector<BatchJob> RandomJobs(Random& random, int places, double known) {
  std::vector<BatchJob> jobs(static_cast<std::size_t>(random.Between(4, 14)));
  int submit = 0;
  for (BatchJob& job : jobs) {
    submit += static_cast<int>(random.Uniform(4));
    job.submit = submit;
    job.size = static_cast<int>(random.Chance(0.3) ? random.Between(1, places)
                                                   : random.Between(1, (places + 1) / 2));
    job.run = static_cast<int>(random.Between(1, 12));
    if (random.Chance(known))
      job.bound = job.run + static_cast<int>(random.Chance(0.5) ? 0 : random.Uniform(12));
  }
  return jobs;
}

// Whether nobody knows when is not the textbook's business: then there whoever fits starts.
Options Textbook() {
  Options options;
  options.queue.idle_share = -1;
  options.queue.patience = std::chrono::hours(1);
  return options;
}

struct Tally {
  int passed = 0;
  int stopped = 0;
};

Tally Compare(double known, int cases) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(cases); ++seed) {
    Random random(seed);
    const int nodes = static_cast<int>(random.Between(1, 4));
    const int cpus = static_cast<int>(random.Between(1, 3));
    const std::vector<BatchJob> jobs = RandomJobs(random, nodes * cpus, known);
    Reference reference(jobs, nodes * cpus);
    const std::vector<int> expected = reference.Run();
    EXPECT_EQ(Played(jobs, nodes, cpus, Textbook()).Run(std::ranges::max(expected) + 100), expected)
        << "seed " << seed;
    if (testing::Test::HasFailure()) return tally;
    tally.passed += reference.passed();
    tally.stopped += reference.stopped();
  }
  return tally;
}

TEST(Backfill, StartsEveryJobWhenTheTextbookDoes) {
  const Tally tally = Compare(1.0, 200);
  EXPECT_GT(tally.passed, 200);  // or nothing was tested
  EXPECT_GT(tally.stopped, 200);
}

TEST(Backfill, TakesAnUnknownDurationForEver) {
  const Tally tally = Compare(0.6, 200);
  EXPECT_GT(tally.passed, 200);
  EXPECT_GT(tally.stopped, 200);
}

}  // namespace
}  // namespace cadre::core

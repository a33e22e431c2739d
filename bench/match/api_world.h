// core::Scheduler with a minute API server around it: keeps the objects, carries out every effect and tells
// of it as a watch would. Only the time inside of Scheduler::Step is counted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/match/fleet.h"
#include "core/scheduler.h"
#include "drive/machine.h"
#include "kube/job.h"

namespace cadre::bench {

class ApiWorld {
 public:
  // Nodes, and nothing else; listed.
  explicit ApiWorld(std::size_t nodes);

  // An Indexed Job with all of its pods, to be seen at the next Step.
  void AddJob(const std::string& name, std::size_t pods, const PodAsk& ask);
  // A pod of another scheduler.
  void AddForeign(const std::string& name, std::size_t node, const PodAsk& ask);
  // Pods and Job are gone.
  void DeleteJob(const std::string& name);
  void DeleteForeign(const std::string& name);

  // One step with what is new; what it wants is done and waits for the next. Seconds of CPU time.
  double Step();
  // Steps until nothing is new.
  double Run();

  // What a process would be told that starts now: everything there is, by one event each.
  std::vector<drive::Event> AllObjects() const;
  std::size_t BoundPods() const { return bound_; }
  core::Scheduler& scheduler() { return scheduler_; }

  static core::Options SchedulerOptions();

 private:
  void Do(const drive::Effect& effect);
  void Do(const drive::Bind& bind);
  void Do(const drive::Patch& patch);
  template <class Other>
  void Do(const Other&) {}
  void PutPod(std::shared_ptr<kube::Pod> pod);

  core::Scheduler scheduler_;
  std::vector<drive::Event> nodes_;
  std::map<std::string, std::shared_ptr<const kube::Pod>> pods_;  // by name
  std::map<std::string, std::shared_ptr<const kube::Job>> jobs_;  // by name
  std::map<std::string, std::vector<std::string>> pods_of_;       // job -> names
  std::vector<drive::Event> news_;
  std::size_t bound_ = 0;
  std::uint64_t version_ = 1'000'000;
};

// What a process does that starts with these objects. Returns the scheduler that has come to rest.
struct Rebuilt {
  std::unique_ptr<core::Scheduler> scheduler;
  double fold_s = 0;    // while the lists come
  double settle_s = 0;  // after the last: until the first step with a complete picture has ended
};
Rebuilt Rebuild(const std::vector<drive::Event>& objects);

}  // namespace cadre::bench

// Cluster: where a scenario takes place: in memory on a virtual clock (Simulation), or on a real API server
// in real time (LiveCluster). What a scenario does and asks is the same for both.
//
// Times are told from the start. Thread rule: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "core/scheduler.h"
#include "drive/api.h"
#include "drive/driver.h"
#include "drive/effect.h"
#include "drive/observed_api.h"
#include "kube/object.h"

namespace cadre::app {

class Cluster {
 public:
  struct Refusal {
    std::string object;   // "Job default/a"
    std::string message;  // the API server's words
  };

  virtual ~Cluster() = default;

  // The cluster as it is at the start: nodes, volumes, priority classes, pods already bound, with their
  // status.
  virtual void Load(const std::vector<kube::Object>& objects) = 0;
  // The user submits this object `after` the start (kubectl create). A refusal is kept in refusals().
  virtual void SubmitAt(Duration after, const kube::Object& object) = 0;
  // Any other act of a user or of the world, `after` the start.
  virtual void ActAt(Duration after, std::function<void()> act) = 0;
  // A write of a user, carried out now.
  virtual drive::WriteResult WriteNow(std::string_view user, const drive::Effect& effect) = 0;

  virtual void RunUntil(Duration after) = 0;
  // Runs until nothing can change any more, or, where that cannot be known, until all acts are done.
  virtual void RunToEnd() = 0;
  // Whether `holds` comes true; where time is real and answers take their time, it is given some.
  virtual bool Await(const std::function<bool()>& holds) = 0;
  // For how long what is wrong in passing may be so, because news of it is still on its way.
  virtual Duration Patience() const = 0;
  // Called each time all of the present instant has happened, or something has.
  virtual void OnChange(std::function<void()> look) = 0;

  // SIGKILL, and a new process at once, which knows nothing but the API.
  virtual void RestartScheduler() = 0;
  virtual void RestartControllers() = 0;
  // Kills the process at its n-th write (counted over all its lives), then starts a new one.
  virtual void CrashSchedulerAt(std::uint64_t n, drive::CrashPoint point) = 0;
  virtual void CrashControllersAt(std::uint64_t n, drive::CrashPoint point) = 0;

  // Asked before each write of the scheduler; what it returns is the answer, and the write is not carried
  // out.
  using Admit = std::function<std::optional<drive::WriteResult>(std::string_view user, const drive::Effect&)>;
  virtual void SetAdmission(Admit admit) = 0;

  virtual drive::ObservedApi& objects() = 0;
  virtual const core::Scheduler& scheduler() const = 0;
  virtual std::uint64_t scheduler_writes() const = 0;
  virtual std::uint64_t controller_writes() const = 0;
  virtual const std::vector<Refusal>& refusals() const = 0;
  // What the checker found, in words.
  virtual const std::vector<std::string>& violations() const = 0;
  virtual Time StartedAt() const = 0;
  virtual Duration Elapsed() const = 0;
};

}  // namespace cadre::app

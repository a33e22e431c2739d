// Process: one operating-system process of the simulated cluster: a driver with its machines, which can be
// killed and started again, knowing nothing but the API.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "drive/driver.h"

namespace cadre::app {

class Process {
 public:
  using MakeMachines = std::function<std::vector<std::unique_ptr<drive::Machine>>()>;

  // Starts at once. Api and clock are borrowed and must outlive it. `make` is called for each life.
  Process(drive::Api& api, drive::Clock& clock, MakeMachines make);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // SIGKILL and a new start at this instant. Not to be called from inside the process's own steps.
  void Restart();
  // Dies at its n-th write attempt, counted from 1 over all its lives, and starts again at the same instant.
  void CrashAt(std::uint64_t n, drive::CrashPoint point) { crashes_[n] = point; }
  std::uint64_t writes() const { return writes_; }
  void SetStepObserver(drive::Driver::StepObserver observer);

 private:
  void Start();

  drive::Api& api_;
  drive::Clock& clock_;
  const MakeMachines make_;
  drive::Driver::StepObserver observer_;
  std::map<std::uint64_t, drive::CrashPoint> crashes_;
  std::uint64_t writes_ = 0;
  std::shared_ptr<char> alive_ =
      std::make_shared<char>();  // a restart that is due after our end finds it gone
  std::vector<std::unique_ptr<drive::Machine>> machines_;
  std::unique_ptr<drive::Driver> driver_;
};

}  // namespace cadre::app

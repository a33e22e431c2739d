#include "app/process.h"

#include <utility>

namespace cadre::app {

Process::Process(drive::Api& api, drive::Clock& clock, MakeMachines make)
    : api_(api), clock_(clock), make_(std::move(make)) {
  Start();
}

Process::~Process() = default;

void Process::Start() {
  machines_ = make_();
  std::vector<drive::Machine*> borrowed;
  for (const auto& machine : machines_)
    borrowed.push_back(machine.get());
  driver_ = std::make_unique<drive::Driver>(std::move(borrowed), api_, clock_, drive::Limits{});
  if (observer_) driver_->SetStepObserver(observer_);
  driver_->SetCrashHook(
      [this](std::uint64_t, const drive::Effect&) {
        const auto crash = crashes_.find(++writes_);
        return crash == crashes_.end() ? drive::CrashPoint::kNone : crash->second;
      },
      [this] {
        // The driver is still on the stack here.
        clock_.CallAt(clock_.Now(), [this, alive = std::weak_ptr<char>(alive_)] {
          if (!alive.expired()) Restart();
        });
      });
}

void Process::Restart() {
  driver_.reset();
  machines_.clear();
  Start();
}

void Process::SetStepObserver(drive::Driver::StepObserver observer) {
  observer_ = std::move(observer);
  driver_->SetStepObserver(observer_);
}

}  // namespace cadre::app

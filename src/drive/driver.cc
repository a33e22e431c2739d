#include "drive/driver.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/check.h"
#include "drive/informer.h"
#include "drive/sender.h"

namespace cadre::drive {

// Three parts: one informer per kind brings events in, an inbox per machine collects them until its Step (run
// from a timer of the same instant, so that everything which arrived up to now goes into one Step), the
// sender carries effects out.
class Driver::Impl {
 public:
  Impl(std::vector<Machine*> machines, Api& api, Clock& clock, const Limits& limits);
  ~Impl() { StopTimers(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void SetCrashHook(CrashHook hook, std::function<void()> on_crash);
  void SetStepObserver(StepObserver observer) { observer_ = std::move(observer); }
  void Finish(std::function<void()> done);
  const Counters& counters();

 private:
  struct Seat {
    Machine* machine = nullptr;
    std::vector<Event> inbox;
    std::optional<Clock::Timer> step;  // a Step is set for this instant
    std::optional<Clock::Timer> wake;  // the last Step asked for one
  };

  void WatchKinds(Api& api, const Limits& limits);
  void FanOut(kube::Kind kind, const Event& event);
  void Deliver(Seat& seat, Event event);
  void SetStep(Seat& seat);
  void RunStep(Seat& seat);
  void SetWake(Seat& seat, std::optional<Time> wake);
  void OnDeath(std::optional<std::size_t> after_step_of);
  void Die();
  void StopMachines();
  void CallBack(std::function<void()> owner);
  void StopTimers();

  Clock& clock_;
  std::vector<Seat> seats_;                        // never resized after construction
  std::array<std::vector<Seat*>, 256> wanted_by_;  // by Kind
  Counters counters_;
  Sender sender_;
  std::vector<std::unique_ptr<Informer>> informers_;
  std::uint64_t relists_of_the_dead_ = 0;
  StepObserver observer_;
  std::function<void()> on_crash_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
  bool dead_ = false;
  Seat* dies_after_ = nullptr;
};

namespace {

std::vector<std::string> Names(const std::vector<Machine*>& machines) {
  std::vector<std::string> names;
  for (const Machine* machine : machines)
    names.emplace_back(machine->Name());
  return names;
}

}  // namespace

Driver::Impl::Impl(std::vector<Machine*> machines, Api& api, Clock& clock, const Limits& limits)
    : clock_(clock),
      seats_(machines.size()),
      sender_(Names(machines), api, clock, limits, counters_,
              [this](std::size_t machine, Answer answer) { Deliver(seats_[machine], std::move(answer)); }) {
  for (std::size_t i = 0; i < machines.size(); ++i)
    seats_[i].machine = machines[i];
  WatchKinds(api, limits);
}

// Two machines that want the same kind share one watch.
void Driver::Impl::WatchKinds(Api& api, const Limits& limits) {
  for (Seat& seat : seats_) {
    for (const kube::Kind kind : seat.machine->Kinds()) {
      wanted_by_[static_cast<std::size_t>(kind)].push_back(&seat);
    }
  }
  for (const kube::KindInfo& info : kube::AllKinds()) {
    if (wanted_by_[static_cast<std::size_t>(info.kind)].empty()) continue;
    informers_.push_back(std::make_unique<Informer>(
        info.kind, api, clock_, InformerBackoff{limits.relist_backoff, limits.max_relist_backoff},
        [this, kind = info.kind](const Event& event) { FanOut(kind, event); }));
  }
}

void Driver::Impl::FanOut(kube::Kind kind, const Event& event) {
  for (Seat* seat : wanted_by_[static_cast<std::size_t>(kind)])
    Deliver(*seat, event);
}

void Driver::Impl::Deliver(Seat& seat, Event event) {
  if (dead_) return;
  seat.inbox.push_back(std::move(event));
  SetStep(seat);
}

void Driver::Impl::SetStep(Seat& seat) {
  if (seat.step) return;
  seat.step = clock_.CallAt(clock_.Now(), [this, &seat] {
    seat.step.reset();
    RunStep(seat);
  });
}

void Driver::Impl::RunStep(Seat& seat) {
  const Time now = clock_.Now();
  const std::vector<Event> events = std::exchange(seat.inbox, {});
  StepResult result = seat.machine->Step(now, events);
  ++counters_.steps;
  counters_.events += events.size();
  if (observer_) observer_(*seat.machine, now, events, result);
  if (dies_after_ == &seat) return Die();
  SetWake(seat, result.wake);
  const auto machine = static_cast<std::size_t>(&seat - seats_.data());
  sender_.Submit(machine, std::move(result.effects));
}

void Driver::Impl::SetWake(Seat& seat, std::optional<Time> wake) {
  if (seat.wake) clock_.Cancel(*seat.wake);
  seat.wake.reset();
  if (!wake) return;
  seat.wake = clock_.CallAt(*wake, [this, &seat] {
    seat.wake.reset();
    SetStep(seat);
  });
}

void Driver::Impl::SetCrashHook(CrashHook hook, std::function<void()> on_crash) {
  on_crash_ = std::move(on_crash);
  sender_.SetCrashHook(std::move(hook), [this](std::optional<std::size_t> machine) { OnDeath(machine); });
}

void Driver::Impl::OnDeath(std::optional<std::size_t> after_step_of) {
  if (!after_step_of) return Die();
  dies_after_ = &seats_[*after_step_of];
}

void Driver::Impl::Die() {
  if (dead_) return;
  StopMachines();
  sender_.Stop();
  if (on_crash_) CallBack(on_crash_);
}

void Driver::Impl::Finish(std::function<void()> done) {
  CADRE_ASSERT(!dead_, "a driver ends once");
  StopMachines();
  sender_.Finish([this, done = std::move(done)] { CallBack(done); });
}

// Nothing goes in any more.
void Driver::Impl::StopMachines() {
  dead_ = true;
  relists_of_the_dead_ = counters().relists;
  informers_.clear();
  StopTimers();
}

// From a callback of its own, so that the owner may destroy this object there.
void Driver::Impl::CallBack(std::function<void()> owner) {
  clock_.CallAt(clock_.Now(), [owner = std::move(owner), alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) owner();
  });
}

void Driver::Impl::StopTimers() {
  for (Seat& seat : seats_) {
    if (seat.step) clock_.Cancel(*seat.step);
    if (seat.wake) clock_.Cancel(*seat.wake);
    seat.step.reset();
    seat.wake.reset();
  }
}

const Driver::Counters& Driver::Impl::counters() {
  counters_.relists = relists_of_the_dead_;
  for (const std::unique_ptr<Informer>& informer : informers_)
    counters_.relists += informer->relists();
  return counters_;
}

Driver::Driver(std::vector<Machine*> machines, Api& api, Clock& clock, Limits limits)
    : impl_(std::make_unique<Impl>(std::move(machines), api, clock, limits)) {}

Driver::~Driver() = default;

void Driver::SetCrashHook(CrashHook hook, std::function<void()> on_crash) {
  impl_->SetCrashHook(std::move(hook), std::move(on_crash));
}

void Driver::Finish(std::function<void()> done) {
  impl_->Finish(std::move(done));
}

void Driver::SetStepObserver(StepObserver observer) {
  impl_->SetStepObserver(std::move(observer));
}

const Driver::Counters& Driver::counters() const {
  return impl_->counters();
}

}  // namespace cadre::drive

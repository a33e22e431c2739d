// JobSetController: keeps the child Jobs, the Service and the status of every JobSet as its spec asks, as one
// machine.
//
// What is to be done is decided in reconcile.h, from API objects alone. Here is what belongs to time and
// network: who is looked at when, and that nobody is looked at while own writes about it are unanswered or
// not yet seen (a pass over a view that lags would create Jobs again or restart twice; both would be refused
// by the API server, but each refusal is a wasted request). Status writes carry the resourceVersion, so two
// processes can never both count one restart.
//
// Indexes: child Jobs by the UID of their controller and all Jobs by name; a pass costs what one JobSet has,
// whatever else there is. No pods are watched.
//
// A pass in which a write failed is repeated after `first_retry`, doubling to `max_retry`, until one succeeds
// or the JobSet changes. Source: JobSet v1alpha2; the order of a pass as upstream's (reference in
// reconcile.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "drive/machine.h"
#include "jobset/reconcile.h"

namespace cadre::jobset {

struct JobSetControllerOptions {
  Duration first_retry{1'000};
  Duration max_retry{60'000};
  // Own writes that the watch never shows are waited for this long.
  Duration expectation_timeout{300'000};
};

class JobSetController final : public drive::Machine {
 public:
  explicit JobSetController(JobSetControllerOptions options = {});
  ~JobSetController() override;
  JobSetController(const JobSetController&) = delete;
  JobSetController& operator=(const JobSetController&) = delete;

  std::string_view Name() const override { return "jobset-controller"; }
  std::span<const kube::Kind> Kinds() const override;
  drive::StepResult Step(Time now, std::span<const drive::Event> events) override;

 private:
  struct State;
  enum class Role : std::uint8_t {
    kDeleteJob,
    kCreateJob,
    kCreateService,
    kChangeJob,
    kWriteStatus,
    kDeleteJobSet
  };
  struct Pending {
    std::string jobset_uid;
    Role role{};
    std::string name;  // of the object
    std::string uid;   // of the object; empty for creates
  };
  using QueueKey = std::pair<Time, std::uint64_t>;  // due, then first come

  void On(const drive::Changed& changed);
  void On(const drive::Listed& listed);
  void On(const drive::Answer& answer);
  void OnJobSet(const kube::Object& object, bool deleted);
  void ForgetJobSet(const kube::Object& object);
  void OnJob(const kube::Object& object, bool deleted);
  void IndexJobName(const kube::ObjectMeta& job, bool deleted);
  void IndexChild(const std::string& jobset_uid, const kube::Object& job, bool deleted);
  void OnService(const kube::Object& object, bool deleted);
  void Expect(State& state, const Pending& pending, const drive::Answer& answer);

  State* Find(std::string_view uid);
  void Enqueue(State& state, Time due);
  void RunQueue();
  void Look(State& state);
  void EndPass(State& state);
  void Carry(State& state, Plan plan);
  void SendJobWrites(State& state, Plan& plan);
  void SendStatus(State& state, Plan& plan);
  void NoteBlockedNames(State& state, const Plan& plan);
  void NoteOnce(State& state, std::string key, const Remark& remark);
  void Note(const State& state, const Remark& remark, std::optional<drive::EffectId> after);
  drive::EffectId Send(State& state, drive::What what, Pending pending, std::uint64_t resource_version = 0,
                       std::optional<drive::EffectId> after = {});

  const JobSetControllerOptions options_;
  Time now_{};
  drive::StepResult result_;  // of the running Step
  std::uint64_t last_effect_ = 0;
  std::uint64_t last_sequence_ = 0;
  std::set<kube::Kind> unlisted_;

  boost::unordered_flat_map<std::string, std::unique_ptr<State>> jobsets_;  // by UID
  // Child Jobs by the UID of their controller, then by name.
  boost::unordered_flat_map<std::string, std::map<std::string, kube::Object>> children_;
  boost::unordered_flat_map<std::string, std::string> job_uids_;  // namespace/name of every Job -> UID
  boost::unordered_flat_map<std::string, std::string>
      name_waiters_;                                 // namespace/name of a Job -> JobSet that wants it
  boost::unordered_flat_set<std::string> services_;  // namespace/name
  boost::unordered_flat_map<std::string, std::set<std::string>>
      service_users_;                                          // namespace/name -> UIDs of JobSets
  boost::unordered_flat_map<std::uint64_t, Pending> pending_;  // by effect
  std::map<QueueKey, std::string> queue_;                      // -> UID of the JobSet
};

}  // namespace cadre::jobset

// MemoryApi: an API server in memory, with the semantics of the real one: one revision counter, optimistic
// concurrency, UIDs, generations, finalizers and graceful deletion, defaults and validation, the binding,
// eviction and status subresources, watches that are resumed from a version or expire. Objects are kept as
// JSON and read through the one decoder, like the live API's.
//
// It serves requests from the clock: a write is carried out after `request_latency` and answered
// `answer_latency` later, a change is seen by watchers after `watch_latency`. With all of them 0 everything
// happens at one instant, in the order of the requests.
//
// Not here: admission by quota, disruption budgets, access control, CRD schemas. Namespaces appear on their
// own. Thread rule: the event loop's thread only.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "drive/api.h"
#include "drive/clock.h"
#include "drive/observed_api.h"
#include "sim/faults.h"
#include "sim/notes.h"
#include "sim/store.h"
#include "sim/verbs.h"
#include "sim/watch_hub.h"

namespace cadre::sim {

struct MemoryApiOptions {
  Duration request_latency{0};
  Duration answer_latency{0};
  Duration watch_latency{0};
  std::size_t history_kept = 1'000;     // changes per kind that stay for watches that resume
  std::size_t history_bound = 200'000;  // a watcher that lags further behind has expired
  std::size_t notes_bound = 10'000;     // different notes kept
  std::optional<FaultOptions> faults = std::nullopt;
};

class MemoryApi final : public drive::Api, public drive::ObservedApi {
 public:
  // The clock is borrowed and must outlive it.
  explicit MemoryApi(drive::Clock& clock, MemoryApiOptions options = {});
  ~MemoryApi() override;

  void List(kube::Kind kind, std::function<void(Result<drive::ListResult>)> done) override;
  std::unique_ptr<drive::WatchHandle> Watch(kube::Kind kind, std::uint64_t from,
                                            std::function<void(drive::WatchEvent)> on_event) override;
  void Write(std::string_view user, const drive::Effect& effect,
             std::function<void(drive::WriteResult)> done) override;

  // Carries a write out now, without latency or faults: for users who submit things, and for tests.
  drive::WriteResult WriteNow(std::string_view user, const drive::Effect& effect);
  drive::WriteResult CreateNow(std::string_view user, kube::Kind kind, json::object body,
                               std::string namespace_ = {});

  // Puts the objects of a dump in as they are: status kept, UIDs and times kept and made where they are
  // absent. Returns what could not be loaded and why; the rest is loaded.
  std::vector<std::string> Load(std::span<const kube::Object> objects);

  // The current state, for checkers and reports.
  const kube::Object* Find(kube::Kind kind, std::string_view namespace_,
                           std::string_view name) const override;
  std::vector<kube::Object> All(kube::Kind kind) const override { return store_.List(kind); }
  std::size_t Count(kube::Kind kind) const { return store_.Count(kind); }
  std::uint64_t revision() const { return store_.revision(); }

  void AddWriteObserver(Observer observer) override { verbs_.AddObserver(std::move(observer)); }

  // Stands in for admission plugins: asked before each write that comes through Write(); what it returns is
  // the answer and the write is not carried out. Not asked for WriteNow.
  using Admit = std::function<std::optional<drive::WriteResult>(std::string_view user, const drive::Effect&)>;
  void SetAdmission(Admit admit) { admit_ = std::move(admit); }

  const Notes& notes() const { return notes_; }
  // Where it was kinder than an API server: unknown PriorityClasses.
  const std::vector<std::string>& warnings() const { return verbs_.admission().warnings(); }
  // Requests answered so, lost answers counted as kUnknown; notes included.
  std::uint64_t answered(drive::Outcome outcome) const {
    return answered_[static_cast<std::size_t>(outcome)];
  }

  void SendBookmarks() { hub_.SendBookmarks(); }
  void Compact() { hub_.Compact(); }

 private:
  using Done = std::function<void(drive::WriteResult)>;
  struct Request {
    Time due;
    std::string user;
    drive::Effect effect;
    Done done;
  };
  struct AnswerDue {
    Time due;
    drive::WriteResult result;
    Done done;
  };

  void PumpRequests();
  void PumpAnswers();
  drive::WriteResult Serve(const Request& request);
  drive::WriteResult WriteNote(std::string_view user, const drive::Note& note);
  void WriteEventObject(std::string_view user, const NoteRecord& record);
  void CallLater(Time at, void (MemoryApi::*what)());

  drive::Clock& clock_;
  const MemoryApiOptions options_;
  std::unique_ptr<Faults> faults_;
  Admit admit_;
  Store store_;
  WatchHub hub_;
  Verbs verbs_;
  Notes notes_;
  std::deque<Request> requests_;  // in order of arrival, which is the order of `due`
  std::deque<AnswerDue> answers_;
  bool requests_pumped_ = false;  // a callback is set for the first request
  bool answers_pumped_ = false;
  std::array<std::uint64_t, 8> answered_{};
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace cadre::sim

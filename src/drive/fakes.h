// For tests only: a clock moved by hand, an Api whose every answer the test gives, a machine that records.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/json.h"
#include "drive/api.h"
#include "drive/clock.h"
#include "drive/machine.h"
#include "kube/decode.h"

namespace cadre::drive {

class FakeClock final : public Clock {
 public:
  Time Now() const override { return now_; }
  Timer CallAt(Time at, std::function<void()> run) override {
    timers_.push_back({std::max(at, now_), ++last_, std::move(run)});
    return static_cast<Timer>(last_);
  }
  void Cancel(Timer timer) override {
    std::erase_if(timers_, [&](const Entry& entry) { return entry.id == static_cast<std::uint64_t>(timer); });
  }

  // Runs what is due within `by` from now, then stands there.
  void Pass(Duration by) {
    const Time until = now_ + by;
    while (RunNext(until)) {
    }
    now_ = until;
  }
  void Settle() { Pass(Duration{0}); }
  std::size_t timers() const { return timers_.size(); }

 private:
  struct Entry {
    Time at;
    std::uint64_t id;
    std::function<void()> run;
  };
  bool RunNext(Time until) {
    const auto next = std::min_element(timers_.begin(), timers_.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.at, a.id) < std::pair(b.at, b.id);
    });
    if (next == timers_.end() || next->at > until) return false;
    now_ = next->at;
    const std::function<void()> run = std::move(next->run);
    timers_.erase(next);
    run();
    return true;
  }

  Time now_{std::chrono::milliseconds(1'700'000'000'000)};
  std::uint64_t last_ = 0;
  std::vector<Entry> timers_;
};

class FakeApi final : public Api {
 public:
  struct ListCall {
    kube::Kind kind;
    std::function<void(Result<ListResult>)> done;
  };
  struct WatchCall {
    kube::Kind kind;
    std::uint64_t from;
    std::function<void(WatchEvent)> send;
    std::shared_ptr<bool> open;
  };
  struct WriteCall {
    std::string user;
    Effect effect;
    std::function<void(WriteResult)> done;
    void Answer(Outcome outcome, Duration retry_after = Duration{0}) const {
      done({outcome, std::string(ToString(outcome)), retry_after, std::nullopt});
    }
  };

  void List(kube::Kind kind, std::function<void(Result<ListResult>)> done) override {
    lists.push_back({kind, std::move(done)});
  }
  std::unique_ptr<WatchHandle> Watch(kube::Kind kind, std::uint64_t from,
                                     std::function<void(WatchEvent)> on_event) override {
    auto open = std::make_shared<bool>(true);
    watches.push_back({kind, from, std::move(on_event), open});
    return std::make_unique<Handle>(open);
  }
  void Write(std::string_view user, const Effect& effect, std::function<void(WriteResult)> done) override {
    writes.push_back({std::string(user), effect, std::move(done)});
  }

  // Answers the oldest list of this kind that waits.
  void AnswerList(kube::Kind kind, Result<ListResult> result) {
    const auto call = std::ranges::find(lists, kind, &ListCall::kind);
    ASSERT_NE(call, lists.end()) << "nobody lists that kind";
    const auto done = call->done;
    lists.erase(call);
    done(std::move(result));
  }
  // The newest watch of this kind.
  const WatchCall& LastWatch(kube::Kind kind) const {
    for (auto call = watches.rbegin(); call != watches.rend(); ++call) {
      if (call->kind == kind) return *call;
    }
    CADRE_ASSERT(false, "nobody watches that kind");
    return watches.front();
  }

  std::deque<ListCall> lists;
  std::deque<WatchCall> watches;
  std::deque<WriteCall> writes;

 private:
  struct Handle final : WatchHandle {
    explicit Handle(std::shared_ptr<bool> is_open) : open(std::move(is_open)) {}
    ~Handle() override { *open = false; }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    std::shared_ptr<bool> open;
  };
};

inline kube::Object FakeNode(const std::string& name, const std::string& uid, std::uint64_t version) {
  Result<kube::Object> node = kube::Decode(
      kube::Kind::kNode,
      json::object{
          {"metadata", {{"name", name}, {"uid", uid}, {"resourceVersion", std::to_string(version)}}}});
  CADRE_ASSERT(node.has_value(), "a node is decodable");
  return *node;
}

inline kube::Object FakePod(const std::string& name, const std::string& uid, std::uint64_t version) {
  Result<kube::Object> pod = kube::Decode(
      kube::Kind::kPod,
      json::object{
          {"metadata",
           {{"namespace", "ns"}, {"name", name}, {"uid", uid}, {"resourceVersion", std::to_string(version)}}},
          {"spec", {{"containers", json::array{{{"name", "c"}}}}}}});
  CADRE_ASSERT(pod.has_value(), "a pod is decodable");
  return *pod;
}

// "+node-1@5", "-node-1@6", "listed Node", "answer 3 done".
inline std::string Brief(const Event& event) {
  if (const auto* changed = std::get_if<Changed>(&event)) {
    const kube::ObjectMeta& meta = changed->object.Meta();
    return fmt::format("{}{}/{}@{}", changed->deleted ? "-" : "+", meta.name, meta.uid,
                       meta.resource_version);
  }
  if (const auto* listed = std::get_if<Listed>(&event))
    return fmt::format("listed {}", kube::Info(listed->kind).name);
  const auto& answer = std::get<Answer>(event);
  return fmt::format("answer {} {}", static_cast<std::uint64_t>(answer.id), ToString(answer.outcome));
}

class RecordingMachine final : public Machine {
 public:
  explicit RecordingMachine(std::vector<kube::Kind> kinds, std::string name = "recorder")
      : kinds_(std::move(kinds)), name_(std::move(name)) {}

  std::string_view Name() const override { return name_; }
  std::span<const kube::Kind> Kinds() const override { return kinds_; }
  StepResult Step(Time now, std::span<const Event> events) override {
    std::vector<std::string> step;
    for (const Event& event : events)
      step.push_back(Brief(event));
    steps.push_back(std::move(step));
    times.push_back(now);
    return std::exchange(next, {});
  }

  StepResult next;  // what the next Step returns
  std::vector<std::vector<std::string>> steps;
  std::vector<Time> times;

 private:
  std::vector<kube::Kind> kinds_;
  std::string name_;
};

}  // namespace cadre::drive

// The driver against the API in memory when everything goes wrong that can: what a machine sees in the end is
// what is there, and each of its effects ends once.
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "drive/driver.h"
#include "sim/sim_testing.h"

namespace cadre::sim {
namespace {

using kube::Kind;
using std::chrono::seconds;

constexpr Time kStart{std::chrono::milliseconds(1'764'660'000'000)};
constexpr std::array kKinds = {Kind::kPod, Kind::kConfigMap};

// Keeps what the events say, and every rule of machine.h that they break.
class Mirror final : public drive::Machine {
 public:
  std::string_view Name() const override { return "mirror"; }
  std::span<const Kind> Kinds() const override { return kKinds; }
  drive::StepResult Step(Time now, std::span<const drive::Event> events) override {
    if (now < last_) broken.insert("time went back");
    last_ = now;
    for (const drive::Event& event : events) {
      if (const auto* changed = std::get_if<drive::Changed>(&event)) OnChanged(*changed);
      if (const auto* is_listed = std::get_if<drive::Listed>(&event)) {
        if (!listed.insert(is_listed->kind).second) broken.insert("a kind was listed twice");
      }
    }
    return {};
  }

  std::map<std::string, std::pair<std::string, std::uint64_t>> objects;  // UID -> key, version
  std::set<Kind> listed;
  std::set<std::string> broken;

 private:
  void OnChanged(const drive::Changed& changed) {
    const kube::ObjectMeta& meta = changed.object.Meta();
    const std::string key = fmt::format("{}/{}", kube::Info(changed.object.kind).name, kube::KeyOf(meta));
    const auto known = objects.find(meta.uid);
    if (changed.deleted) {
      if (known == objects.end()) broken.insert("something unknown was deleted");
      objects.erase(meta.uid);
      living_.erase(key);
      return;
    }
    if (known != objects.end() && known->second.second >= meta.resource_version)
      broken.insert("an object went back");
    if (known == objects.end() && ended_.contains(meta.uid))
      broken.insert("an object came back from the dead");
    if (known == objects.end() && !living_.insert(key).second) broken.insert("two objects under one name");
    ended_.insert(meta.uid);
    objects[meta.uid] = {key, meta.resource_version};
  }

  std::set<std::string> living_;
  std::set<std::string> ended_;  // every UID ever seen
  Time last_{};
};

double Probability(double most) {
  return *rc::gen::inRange(0, 100) * most / 100;
}

FaultOptions AnyFaults(Time until) {
  FaultOptions faults;
  faults.seed = *rc::gen::inRange<std::uint64_t>(1, 1'000'000'000);
  faults.until = until;
  faults.refused = Probability(0.3);
  faults.retry_after = Duration(*rc::gen::element(0, 50, 3'000));
  faults.conflict = Probability(0.3);
  faults.lost_before = Probability(0.3);
  faults.lost_after = Probability(0.3);
  faults.compacted = Probability(0.2);
  faults.failed_list = Probability(0.5);
  faults.watch_delayed = Probability(0.5);
  faults.watch_ended = Probability(0.3);
  faults.watch_expired = Probability(0.3);
  faults.watch_repeated = Probability(0.5);
  return faults;
}

MemoryApiOptions AnyApi(Time until) {
  MemoryApiOptions options;
  options.request_latency = Duration(*rc::gen::element(0, 0, 5));
  options.answer_latency = Duration(*rc::gen::element(0, 0, 5));
  options.watch_latency = Duration(*rc::gen::element(0, 10, 800));
  options.history_kept = *rc::gen::element<std::size_t>(0, 1, 5, 1'000);
  options.faults = AnyFaults(until);
  return options;
}

// One write of a user who creates, changes and deletes a handful of names over and over.
void Meddle(MemoryApi& api, Random& random) {
  const std::string name = fmt::format("x{}", random.Uniform(6));
  const Kind kind = kKinds[random.Uniform(kKinds.size())];
  const drive::Target target{kind, "ns", name};
  drive::What what;
  switch (random.Uniform(5)) {
    case 0:
    case 1:
      what = drive::Create{kind, "ns",
                           kind == Kind::kPod ? PodBody(name) : json::object{{"metadata", {{"name", name}}}}};
      break;
    case 2:
      what = drive::Patch{target, {{"metadata", {{"labels", {{"n", std::to_string(random.Next())}}}}}}};
      break;
    case 3: {
      json::value finalizers = random.Chance(0.5) ? json::value(json::array{"x.y/z"}) : json::value(nullptr);
      what = drive::Patch{target, {{"metadata", {{"finalizers", std::move(finalizers)}}}}};
      break;
    }
    default:
      what = drive::Delete{target, drive::Propagation::kBackground, {}};
      break;
  }
  api.WriteNow("user", EffectOf(std::move(what)));
}

RC_GTEST_PROP(DriverUnderFaults, ShowsAMachineInTheEndWhatIsThere, ()) {
  const std::int64_t busy_s = *rc::gen::inRange(1, 120);
  VirtualClock clock(kStart);
  MemoryApi api(clock, AnyApi(kStart + seconds(busy_s)));
  Random random(*rc::gen::inRange<std::uint64_t>(1, 1'000'000'000));
  for (int i = 0; i < 5; ++i)
    Meddle(api, random);
  Mirror mirror;
  const drive::Driver driver({&mirror}, api, clock, {});
  while (clock.Now() < kStart + seconds(busy_s)) {
    Meddle(api, random);
    clock.Run(clock.Now() + Duration(random.Between(0, 2'000)));
  }
  clock.Run(clock.Now() + seconds(120));

  std::map<std::string, std::pair<std::string, std::uint64_t>> there;
  for (const Kind kind : kKinds) {
    for (const kube::Object& object : api.All(kind)) {
      const kube::ObjectMeta& meta = object.Meta();
      there[meta.uid] = {fmt::format("{}/{}", kube::Info(kind).name, kube::KeyOf(meta)),
                         meta.resource_version};
    }
  }
  RC_ASSERT(mirror.broken == std::set<std::string>{});
  RC_ASSERT(mirror.listed.size() == kKinds.size());
  RC_ASSERT(mirror.objects == there);
  RC_ASSERT(clock.NextAt() == std::nullopt);
}

// Writes at random, in chains, and keeps how each effect ended.
class Writer final : public drive::Machine {
 public:
  Writer(std::uint64_t seed, int steps) : random_(seed), steps_(steps) {}
  std::string_view Name() const override { return "writer"; }
  std::span<const Kind> Kinds() const override { return kKinds; }
  drive::StepResult Step(Time now, std::span<const drive::Event> events) override {
    for (const drive::Event& event : events) {
      if (const auto* answer = std::get_if<drive::Answer>(&event)) {
        ++answers[static_cast<std::uint64_t>(answer->id)];
        outcomes[static_cast<std::uint64_t>(answer->id)] = answer->outcome;
      }
    }
    drive::StepResult result;
    if (steps_-- <= 0) return result;
    for (std::uint64_t i = random_.Uniform(8); i > 0; --i)
      result.effects.push_back(AnyEffect());
    result.wake = now + Duration(random_.Between(1, 2'000));
    return result;
  }

  std::map<std::uint64_t, int> answers;  // by effect
  std::map<std::uint64_t, drive::Outcome> outcomes;
  std::map<std::uint64_t, drive::Effect> effects;

 private:
  drive::Effect AnyEffect() {
    drive::Effect effect;
    effect.id = drive::EffectId{++last_};
    effect.lane = static_cast<drive::Lane>(random_.Uniform(4));
    if (last_ > 1 && random_.Chance(0.5)) effect.after = drive::EffectId{1 + random_.Uniform(last_ - 1)};
    const std::string name = fmt::format("w{}", random_.Uniform(6));
    if (random_.Chance(0.5)) {
      effect.what = drive::Create{Kind::kConfigMap, "ns", {{"metadata", {{"name", name}}}}};
    } else {
      effect.what = drive::Delete{{Kind::kConfigMap, "ns", name}, drive::Propagation::kBackground, {}};
    }
    effects.emplace(last_, effect);
    return effect;
  }

  Random random_;
  int steps_;
  std::uint64_t last_ = 0;
};

// Counts what is in flight between the driver and the API.
class CountingApi final : public drive::Api {
 public:
  explicit CountingApi(drive::Api& api) : api_(api) {}
  void List(Kind kind, std::function<void(Result<drive::ListResult>)> done) override {
    api_.List(kind, std::move(done));
  }
  std::unique_ptr<drive::WatchHandle> Watch(Kind kind, std::uint64_t from,
                                            std::function<void(drive::WatchEvent)> on_event) override {
    return api_.Watch(kind, from, std::move(on_event));
  }
  void Write(std::string_view user, const drive::Effect& effect,
             std::function<void(drive::WriteResult)> done) override {
    most = std::max(most, ++in_flight_);
    ++attempts[static_cast<std::uint64_t>(effect.id)];
    api_.Write(user, effect, [this, done = std::move(done)](drive::WriteResult result) {
      --in_flight_;
      done(std::move(result));
    });
  }

  std::size_t most = 0;
  std::map<std::uint64_t, int> attempts;  // by effect

 private:
  drive::Api& api_;
  std::size_t in_flight_ = 0;
};

RC_GTEST_PROP(DriverUnderFaults, EndsEachEffectOnceInItsOrderAndWithinItsBounds, ()) {
  drive::Limits limits;
  limits.in_flight = *rc::gen::inRange<std::size_t>(1, 6);
  limits.attempts = *rc::gen::inRange(1, 5);
  limits.waiting_notes = *rc::gen::inRange<std::size_t>(0, 4);
  limits.waiting_conditions = *rc::gen::inRange<std::size_t>(0, 4);
  VirtualClock clock(kStart);
  MemoryApi memory(clock, AnyApi(Time::max()));
  CountingApi api(memory);
  Writer writer(*rc::gen::inRange<std::uint64_t>(1, 1'000'000'000), *rc::gen::inRange(1, 40));
  const drive::Driver driver({&writer}, api, clock, limits);
  clock.Run(kStart + std::chrono::hours(1));

  RC_ASSERT(api.most <= limits.in_flight);
  for (const auto& [id, effect] : writer.effects) {
    RC_ASSERT(writer.answers[id] == 1);
    RC_ASSERT(api.attempts[id] <= limits.attempts);
    const bool was_tried = api.attempts[id] > 0;
    const bool not_sent = writer.outcomes[id] == drive::Outcome::kNotSent;
    const bool after_a_failure =
        effect.after && writer.outcomes[static_cast<std::uint64_t>(*effect.after)] != drive::Outcome::kDone;
    // A note or a condition may also be dropped, even while it waits to be tried again.
    const bool may_be_dropped = effect.lane == drive::Lane::kNote || effect.lane == drive::Lane::kCondition;
    RC_ASSERT(was_tried || not_sent);
    RC_ASSERT(!was_tried || !after_a_failure);
    RC_ASSERT(!not_sent || after_a_failure || may_be_dropped);
  }
}

}  // namespace
}  // namespace cadre::sim

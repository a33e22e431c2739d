// The fold: events applied one by one, and a new Cluster that is handed the objects that are left, are the
// same.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "base/random.h"
#include "model/cluster.h"
#include "model/model_testing.h"

namespace cadre::model {
namespace {

constexpr std::uint64_t kFirstSeed = 20'261'202;
constexpr int kCases = 3'000;
constexpr int kEventsPerCase = 40;

// An API server as far as a Cluster can tell: objects by kind and name, versions that grow, UIDs that are
// never used again.
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {}

  // Makes, changes or deletes something; the event that a watch would bring.
  std::pair<kube::Object, bool> Next() {
    switch (random_.Uniform(6)) {
      case 0:
        return Change(fmt::format("node/{}", Pick()),
                      [&](const std::string& name) { return RandomNode(name); });
      case 1:
        return Change(fmt::format("claim/{}", Pick()),
                      [&](const std::string& name) { return RandomClaim(name); });
      case 2:
        return Change(fmt::format("volume/{}", Pick()),
                      [&](const std::string& name) { return RandomVolume(name); });
      case 3:
        return Change(fmt::format("namespace/{}", Pick()), [&](const std::string& name) {
          return NamespaceOf(name, {{"env", random_.Chance(0.5) ? "prod" : "test"}});
        });
      default:
        return NextOfPod();
    }
  }

  std::vector<kube::Object> Left() const {
    std::vector<kube::Object> objects;
    for (const auto& [key, object] : objects_)
      objects.push_back(object);
    return objects;
  }

  // A seen object in an older version.
  std::optional<kube::Object> Stale() {
    if (stale_.empty()) return std::nullopt;
    const kube::Object& old = stale_[random_.Uniform(stale_.size())];
    for (const auto& [key, object] : objects_) {
      const bool same = object.kind == old.kind && object.Meta().uid == old.Meta().uid;
      if (same && object.Meta().resource_version > old.Meta().resource_version) return old;
    }
    return std::nullopt;
  }

  Random& random() { return random_; }

 private:
  std::string Pick() { return std::string(1, static_cast<char>('a' + random_.Uniform(4))); }

  template <class Make>
  std::pair<kube::Object, bool> Change(const std::string& key, Make make) {
    const auto known = objects_.find(key);
    if (known != objects_.end() && random_.Chance(0.3)) {
      kube::Object gone = known->second;
      objects_.erase(known);
      return {gone, true};
    }
    ++version_;
    const std::string name = key.substr(key.find('/') + 1);
    kube::Object made = make(name);
    if (known != objects_.end()) stale_.push_back(known->second);
    objects_.insert_or_assign(key, made);
    return {std::move(made), false};
  }

  // A pod is bound once, ends once, and its spec stays.
  std::pair<kube::Object, bool> NextOfPod() {
    const std::string key = fmt::format("pod/{}", Pick());
    const auto known = objects_.find(key);
    if (known == objects_.end()) pods_[key] = RandomPod(fmt::format("{}-{}", key.substr(4), ++made_));
    PodWords& pod = pods_[key];
    if (known != objects_.end()) Advance(pod);
    return Change(key, [&](const std::string&) {
      pod.version = version_;
      return PodOf(pod);
    });
  }

  PodWords RandomPod(std::string name) {
    PodWords pod;
    pod.name = std::move(name);
    pod.requests = {{"cpu", random_.Between(0, 4) * 500}};
    if (random_.Chance(0.3)) pod.requests["example.com/gpu"] = random_.Between(1, 4);
    if (random_.Chance(0.3)) pod.requests["example.com/nic"] = random_.Between(1, 2);
    pod.scheduler = random_.Chance(0.5) ? "cadre" : "default-scheduler";
    if (random_.Chance(0.2)) pod.owner_kind = "DaemonSet";
    if (random_.Chance(0.3)) pod.claims = {Pick()};
    if (random_.Chance(0.2)) pod.node = Pick();
    pod.repels_its_like = random_.Chance(0.2);
    return pod;
  }

  void Advance(PodWords& pod) {
    if (pod.node.empty() && random_.Chance(0.4)) pod.node = Pick();
    if (pod.node.empty()) pod.nominated = random_.Chance(0.3) ? Pick() : "";
    if (random_.Chance(0.2)) pod.phase = kube::PodPhase::kSucceeded;
    if (random_.Chance(0.2)) pod.deleting = true;
    if (random_.Chance(0.2)) pod.labels["app"] = Pick();
    if (random_.Chance(0.1)) pod.owner_kind.clear();
  }

  kube::Object RandomNode(const std::string& name) {
    // A node that was deleted comes back with another UID.
    const auto known = objects_.find("node/" + name);
    NodeWords node{.name = name, .version = version_};
    node.uid = known == objects_.end() ? fmt::format("node-{}", version_) : known->second.Meta().uid;
    node.allocatable = {{"cpu", random_.Between(1, 8) * 1000}, {"pods", 110}};
    if (random_.Chance(0.5)) node.allocatable["example.com/nic"] = 2;
    if (random_.Chance(0.5)) node.allocatable["example.com/gpu"] = 8;
    node.cordoned = random_.Chance(0.2);
    return NodeOf(std::move(node));
  }
  kube::Object RandomClaim(const std::string& name) {
    return ClaimOf(name, random_.Chance(0.6) ? Pick() : "", version_);
  }
  kube::Object RandomVolume(const std::string& name) {
    return VolumeOf(name, random_.Chance(0.5) ? "z" + Pick() : "", version_);
  }

  Random random_;
  std::uint64_t version_ = 0;
  int made_ = 0;
  std::map<std::string, kube::Object> objects_;
  std::map<std::string, PodWords> pods_;
  std::vector<kube::Object> stale_;
};

void Shuffle(std::vector<kube::Object>& objects, Random& random) {
  for (std::size_t i = objects.size(); i > 1; --i)
    std::swap(objects[i - 1], objects[random.Uniform(i)]);
}

std::string RebuiltFrom(std::vector<kube::Object> objects, Random& random) {
  Shuffle(objects, random);
  Cluster fresh({"cadre"});
  for (const kube::Object& object : objects)
    fresh.Apply(object, false);
  return fresh.Fingerprint();
}

TEST(ClusterProperty, EventsOneByOneAndTheObjectsThatAreLeftInAnyOrderGiveTheSameState) {
  for (int i = 0; i < kCases; ++i) {
    const std::uint64_t seed = kFirstSeed + static_cast<std::uint64_t>(i);
    World world(seed);
    Cluster cluster({"cadre"});
    for (int event = 0; event < kEventsPerCase; ++event) {
      const auto [object, deleted] = world.Next();
      cluster.Apply(object, deleted);
      if (world.random().Chance(0.1)) {
        if (const auto stale = world.Stale()) cluster.Apply(*stale, false);
      }
    }
    ASSERT_EQ(cluster.Fingerprint(), RebuiltFrom(world.Left(), world.random())) << "seed " << seed;
  }
}

// Reservations and assumptions come and go on top; when they are gone, nothing of them is left.
TEST(ClusterProperty, DecisionsThatAreTakenBackLeaveNoTrace) {
  for (int i = 0; i < kCases; ++i) {
    const std::uint64_t seed = kFirstSeed + static_cast<std::uint64_t>(i);
    World world(seed);
    Cluster cluster({"cadre"});
    for (int event = 0; event < kEventsPerCase; ++event) {
      const auto [object, deleted] = world.Next();
      cluster.Apply(object, deleted);
      if (object.kind != kube::Kind::kPod || deleted) continue;
      const PodId pod = cluster.FindPod(object.Meta().uid);
      const NodeId node = cluster.FindNode("a");
      if (!node.Valid()) continue;
      cluster.Reserve(fmt::format("{}", world.random().Uniform(3)), {cluster.pod(pod).shape, node, {}});
      const bool waits = cluster.pod(pod).hold == Hold::kNone && !kube::IsTerminal(*cluster.pod(pod).pod);
      const bool ours = cluster.pod(pod).pod->spec.scheduler_name == "cadre";
      if (waits && ours) cluster.Assume(pod, node);
    }
    for (std::size_t slot = 0; slot < cluster.pod_slots(); ++slot)
      cluster.Forget(PodId(slot));
    // Rebuilt before the reservations go: they are no part of it.
    ASSERT_EQ(cluster.Fingerprint(), RebuiltFrom(world.Left(), world.random())) << "seed " << seed;
    for (int key = 0; key < 3; ++key)
      cluster.Release(fmt::format("{}", key));
    ASSERT_EQ(cluster.Fingerprint(), RebuiltFrom(world.Left(), world.random())) << "seed " << seed;
  }
}

// The fingerprint has to be worth comparing: it must see each of the things that a state consists of.
TEST(ClusterFingerprint, SeesWhatANodeOffersByName) {
  const auto with = [](kube::ResourceList allocatable) {
    Cluster cluster;
    cluster.Apply(NodeOf({.allocatable = std::move(allocatable)}), false);
    return cluster.Fingerprint();
  };
  EXPECT_NE(with({{"example.com/gpu", 8}}), with({{"example.com/nic", 8}}));
}

TEST(ClusterFingerprint, DoesNotSeeTheOrderInWhichResourcesWereFirstNamed) {
  const auto after = [](const std::vector<std::string>& names) {
    Cluster cluster;
    for (const std::string& name : names) {
      cluster.Apply(NodeOf({.name = name, .uid = name, .allocatable = {{"example.com/" + name, 8}}}), false);
    }
    return cluster.Fingerprint();
  };
  EXPECT_EQ(after({"gpu", "nic"}), after({"nic", "gpu"}));
}

TEST(ClusterFingerprint, SeesWherePodsAre) {
  const auto with = [](std::string node) {
    Cluster cluster;
    cluster.Apply(PodOf({.node = std::move(node)}), false);
    return cluster.Fingerprint();
  };
  EXPECT_NE(with("n1"), with("n2"));
}

}  // namespace
}  // namespace cadre::model

// The finder against the plain search and against every placement there is; and one that has followed a
// cluster through many changes against one made this instant.
#include "match/finder.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "match/oracle.h"
#include "match/random_case.h"
#include "match/room_index.h"
#include "model/hypothesis.h"

namespace cadre::match {
namespace {

using testing::CaseMaker;
using testing::CaseStyle;
using testing::kHost;
using testing::kRack;
using testing::kZone;
using testing::MakeNode;
using testing::MakeSpec;
using testing::Oracle;
using testing::RandomCase;
using testing::World;

std::string Text(const World& world, const std::expected<Placement, Diagnosis>& answer) {
  if (answer) return fmt::format("{}", fmt::join(world.Names(*answer), " "));
  return fmt::format("{}: {}", static_cast<int>(answer.error().kind), answer.error().message);
}

struct Tally {
  int indexed_places = 0;
  int indexed_noes = 0;
};

void ExpectSameAnswer(std::uint64_t seed, CaseStyle style, Tally& tally) {
  SCOPED_TRACE(fmt::format("seed {}", seed));
  const RandomCase made = CaseMaker(seed, style).Make();
  World world;
  const Request request = made.Build(world);
  Finder finder(world.cluster());
  const auto answer = finder.Match(request);
  const auto plain = Match(world.cluster(), request);
  if (finder.counters().indexed > 0) ++(answer ? tally.indexed_places : tally.indexed_noes);
  ASSERT_EQ(answer.has_value(), plain.has_value()) << Text(world, answer) << '\n'
                                                   << Text(world, plain) << '\n'
                                                   << made.Describe();
  if (!answer) {
    EXPECT_EQ(Text(world, answer), Text(world, plain)) << made.Describe();
    return;
  }
  EXPECT_TRUE(Oracle(world.cluster(), request).Valid(*answer)) << Text(world, answer) << '\n'
                                                               << made.Describe();
}

Tally ExpectSameAnswers(std::uint64_t first_seed, int count, CaseStyle style) {
  Tally tally;
  for (int i = 0; i < count; ++i)
    ExpectSameAnswer(first_seed + static_cast<std::uint64_t>(i), style, tally);
  // The index must have had its say.
  EXPECT_GT(tally.indexed_places, count / 20);
  EXPECT_GT(tally.indexed_noes, count / 20);
  return tally;
}

TEST(Finder, AgreesWithThePlainSearchOnResources) {
  ExpectSameAnswers(
      8'000'000, 1500,
      {.terms = false, .topology = false, .minimums = false, .fixed = false, .node_rules = false});
}

TEST(Finder, AgreesWithThePlainSearchOnNodeRulesAndMinimums) {
  ExpectSameAnswers(8'100'000, 1500, {.terms = false, .topology = false, .fixed = false});
}

TEST(Finder, AgreesWithThePlainSearchOnTopologies) {
  ExpectSameAnswers(8'200'000, 2000, {.terms = false, .minimums = false, .fixed = false});
}

TEST(Finder, AgreesWithThePlainSearchOnExclusiveDomains) {
  ExpectSameAnswers(8'300'000, 2500, {.terms = false, .minimums = false, .fixed = false, .exclusive = true});
}

TEST(Finder, AgreesWithThePlainSearchWhereTermsAndPlacedMembersAreInPlay) {
  Tally tally;
  for (std::uint64_t i = 0; i < 1500; ++i)
    ExpectSameAnswer(8'400'000 + i, {.exclusive = true}, tally);
}

TEST(Finder, PrefersWhatThePlainSearchPrefers) {
  for (std::uint64_t i = 0; i < 1500; ++i) {
    const std::uint64_t seed = 8'500'000 + i;
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const CaseStyle style{
        .terms = false, .minimums = false, .fixed = false, .preferred = true, .small = true};
    const RandomCase made = CaseMaker(seed, style).Make();
    World world;
    const Request request = made.Build(world);
    const auto answer = Finder(world.cluster()).Match(request);
    const auto plain = Match(world.cluster(), request);
    ASSERT_EQ(answer.has_value(), plain.has_value()) << made.Describe();
    if (!answer) continue;
    Oracle oracle(world.cluster(), request);
    EXPECT_EQ(oracle.CostOf(*answer), oracle.CostOf(*plain)) << Text(world, answer) << '\n'
                                                             << made.Describe();
  }
}

// For pods of one shape the index does not settle for less than the search: node for node the same.
TEST(Finder, PlacesOneShapeWhereThePlainSearchDoes) {
  int compared = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const std::uint64_t seed = 8'600'000 + i;
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const CaseStyle style{
        .terms = false, .minimums = false, .fixed = false, .large = true, .exclusive = i % 2 == 0};
    RandomCase made = CaseMaker(seed, style).Make();
    made.specs.resize(1);
    made.root.units.resize(0);
    made.root.members.resize(std::max<std::size_t>(made.root.members.size(), 1));
    for (testing::RandomMember& member : made.root.members) {
      member.spec = 0;
      member.labels.clear();
    }
    World world;
    const Request request = made.Build(world);
    Finder finder(world.cluster());
    const auto answer = finder.Match(request);
    compared += finder.counters().indexed > 0 ? 1 : 0;
    EXPECT_EQ(Text(world, answer), Text(world, Match(world.cluster(), request))) << made.Describe();
  }
  EXPECT_GT(compared, 1000);
}

// A cluster to which something happens again and again.
class Life {
 public:
  explicit Life(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 6; ++i)
      AddNode(i);
  }

  const World& world() const { return world_; }
  model::Cluster& cluster() { return world_.cluster(); }

  void Happen() {
    switch (random_.Uniform(9)) {
      case 0:
        return AddNode(static_cast<int>(random_.Uniform(8)));
      case 1:
        return Remove(kube::Kind::kNode);
      case 2:
      case 3:
        return Run();
      case 4:
        return Remove(kube::Kind::kPod);
      case 5:
        return Claim();
      case 6:
        return cluster().DropClaim({Gang(), {}});
      case 7:
        return cluster().Reserve(Key(), Reservation());
      default:
        return cluster().Release(Key());
    }
  }

  // What could be, for a while.
  void Suppose(model::Hypothesis& hypothesis) {
    switch (random_.Uniform(5)) {
      case 0:
        return hypothesis.Come(Reservation());
      case 1:
        return hypothesis.DropClaims(Gang());
      case 2:
        return hypothesis.Release(Key());
      case 3:
        return hypothesis.Withhold(SomeNode(), model::ResourceNames::kCpu, 1000);
      default:
        if (!pods_.empty())
          hypothesis.Leave(cluster().FindPod("pod-" + pods_[random_.Uniform(pods_.size())]));
    }
  }

  Request Ask() {
    const CaseStyle style{.terms = false, .minimums = false, .fixed = false, .exclusive = true};
    const RandomCase made = CaseMaker(random_.Next(), style).Make();
    return {.root = made.BuildUnit(world_, made.root), .group = "mine"};
  }

 private:
  std::string Gang() { return fmt::format("gang{}", random_.Uniform(3)); }
  std::string Key() { return fmt::format("key{}", random_.Uniform(3)); }

  // New, or the same with other labels, capacity, taints.
  void AddNode(int i) {
    kube::StringMap labels{{std::string(kZone), fmt::format("z{}", random_.Uniform(2))}};
    if (random_.Chance(0.9)) labels.emplace(kRack, fmt::format("r{}", i % 3));
    if (random_.Chance(0.5)) labels.emplace("pool", "x");
    kube::Node node = MakeNode(fmt::format("n{}", i), random_.Between(1, 4), std::move(labels),
                               {{"example.com/gpu", random_.Between(0, 2)}});
    if (random_.Chance(0.15)) node.spec.taints.push_back({"dedicated", "x", "NoSchedule"});
    node.spec.unschedulable = random_.Chance(0.1);
    node.metadata.resource_version = ++version_;
    world_.Add(std::move(node));
  }

  void Run() {
    const std::string name = fmt::format("p{}", ++version_);
    const kube::PodSpec spec = MakeSpec(random_.Between(0, 2), {{"example.com/gpu", random_.Between(0, 1)}});
    const std::string node = fmt::format("n{}", random_.Uniform(8));  // it may not be there
    const model::PodId pod =
        random_.Chance(0.2) ? world_.RunDaemon(name, node, spec) : world_.Run(name, node, spec);
    pods_.push_back(name);
    if (random_.Chance(0.4)) cluster().SetTenant(pod, cluster().InternTenant({Gang(), {}}));
  }

  void Remove(kube::Kind kind) {
    if (kind == kube::Kind::kNode) {
      kube::Node node = MakeNode(fmt::format("n{}", random_.Uniform(8)), 1);
      cluster().Apply({kind, std::make_shared<kube::Node>(std::move(node)), nullptr}, true);
    } else if (!pods_.empty()) {
      const std::size_t at = random_.Uniform(pods_.size());
      kube::Pod pod = World::MakePod(pods_[at], {}, {});
      cluster().Apply({kind, std::make_shared<kube::Pod>(std::move(pod)), nullptr}, true);
      pods_.erase(pods_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  model::NodeId SomeNode() {
    const auto& nodes = cluster().nodes_by_name();
    return std::next(nodes.begin(), static_cast<std::ptrdiff_t>(random_.Uniform(nodes.size())))->second;
  }

  void Claim() {
    const model::NodeEntry& node = cluster().node(SomeNode());
    const std::string key(random_.Chance(0.5) ? kRack : kHost);
    if (!node.Present() || !node.node->metadata.labels.contains(key)) return;
    cluster().SetClaim(
        {.holder = {Gang(), {}},
         .key = key,
         .path = PathValuesOf(*node.node, key),
         .scope = random_.Chance(0.5) ? model::ExclusiveScope::kAll : model::ExclusiveScope::kGroups,
         .text = "another"});
  }

  model::Reservation Reservation() {
    model::Reservation reservation{.shape = cluster().InternShape(MakeSpec(1), "default"),
                                   .node = SomeNode(),
                                   .labels = {},
                                   .tenant = {}};
    if (random_.Chance(0.4)) reservation.tenant = cluster().InternTenant({Gang(), {}});
    return reservation;
  }

  Random random_;
  World world_;
  std::vector<std::string> pods_;
  std::int64_t version_ = 0;
};

TEST(Finder, AnswersAfterAnyChangesAsOneThatIsNew) {
  int indexed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Life life(seed);
    Finder follower(life.cluster());
    for (int step = 0; step < 60; ++step) {
      SCOPED_TRACE(fmt::format("seed {} step {}", seed, step));
      life.Happen();
      if (step % 3 == 0) continue;  // more than one change between two looks
      const Request request = life.Ask();
      const auto answer = follower.Match(request);
      Finder fresh(life.cluster());
      ASSERT_EQ(Text(life.world(), answer), Text(life.world(), fresh.Match(request)));
      ASSERT_EQ(answer.has_value(), Match(life.cluster(), request).has_value()) << Text(life.world(), answer);
    }
    indexed += static_cast<int>(follower.counters().indexed);
  }
  EXPECT_GT(indexed, 500);
}

TEST(Finder, FollowsWhatIsOnlySupposedAndTakenBack) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Life life(1000 + seed);
    for (int i = 0; i < 20; ++i)
      life.Happen();
    Finder follower(life.cluster());
    for (int step = 0; step < 15; ++step) {
      SCOPED_TRACE(fmt::format("seed {} step {}", seed, step));
      const Request request = life.Ask();
      const std::string before = Text(life.world(), follower.Match(request));
      {
        model::Hypothesis hypothesis(life.cluster());
        for (int i = 0; i < 3; ++i) {
          life.Suppose(hypothesis);
          ASSERT_EQ(Text(life.world(), follower.Match(request)),
                    Text(life.world(), Finder(life.cluster()).Match(request)));
        }
      }
      ASSERT_EQ(Text(life.world(), follower.Match(request)), before);
      life.Happen();
    }
  }
}

// The plain reading of what a node takes.
std::int64_t RoomOf(const model::Cluster& cluster, model::NodeId id, model::ShapeId shape) {
  const model::NodeEntry& node = cluster.node(id);
  if (StaticMisfit(cluster.shape(shape), *node.node, Rules{}) != Misfit::kNone) return 0;
  std::int64_t room = std::numeric_limits<std::int64_t>::max();
  for (const model::Amount& request : cluster.shape(shape).requests)
    room = std::min(room, std::max<std::int64_t>(0, node.Free(request.resource)) / request.amount);
  return room;
}

TEST(RoomIndex, KnowsTheRoomOnEveryNodeAndInEveryDomainAfterEveryChange) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Life life(2000 + seed);
    RoomIndex index(life.cluster());
    const std::vector<model::ShapeId> shapes = {
        life.cluster().InternShape(MakeSpec(1), "default"),
        life.cluster().InternShape(MakeSpec(2, {{"example.com/gpu", 1}}), "default")};
    for (int step = 0; step < 60; ++step) {
      SCOPED_TRACE(fmt::format("seed {} step {}", seed, step));
      life.Happen();
      index.Sync();
      for (const model::ShapeId shape : shapes) {
        const bool claims = !life.cluster().domain_claims().empty();
        ShapeRooms& rooms = index.Rooms(shape, Newcomer::kGang, View::kNow);
        const Domains& racks = index.nodes().PathDomains(std::string(kRack));
        std::vector<std::int64_t> sums(racks.size(), 0);
        std::int64_t total = 0;
        for (NodeIndex node = 0; node < index.size(); ++node) {
          if (!claims) {
            ASSERT_EQ(rooms.Room(node), RoomOf(life.cluster(), index.nodes().id(node), shape));
          }
          total += rooms.Room(node);
          if (racks.of[node] != kNoDomain) sums[static_cast<std::size_t>(racks.of[node])] += rooms.Room(node);
        }
        ASSERT_EQ(rooms.total(), total);
        ASSERT_EQ(rooms.SumsBy(racks), sums);
      }
    }
  }
}

TEST(RoomIndex, ForgetsTheShapesThatWereNotUsedForLongest) {
  World world;
  world.Add(MakeNode("a", 4));
  RoomIndex index(world.cluster());
  std::size_t most = 0;
  for (std::int64_t i = 1; i <= 3 * static_cast<std::int64_t>(RoomIndex::kMostShapes); ++i) {
    const model::ShapeId shape = world.cluster().InternShape(MakeSpec(0, {{"memory", i}}), "default");
    index.Sync();
    index.Rooms(shape, Newcomer::kGang, View::kNow);
    if (i == static_cast<std::int64_t>(RoomIndex::kMostShapes)) most = index.MemoryBytes();
  }
  index.Sync();
  EXPECT_LE(index.MemoryBytes(), most + most / 10);
}

TEST(Finder, SaysNeverAgainWithoutLookingAgainAndOtherwiseWhenANodeComes) {
  World world;
  world.Add(MakeNode("a", 4));
  Finder finder(world.cluster());
  const Request request{world.Role(1, MakeSpec(8))};
  EXPECT_EQ(finder.Match(request).error().kind, No::kNever);
  EXPECT_EQ(finder.Match(request).error().message,
            "needs 1 × (8 CPU); 8 CPU per pod; the largest node, a, has 4 CPU");
  world.Add(MakeNode("b", 8));
  EXPECT_TRUE(finder.Match(request).has_value());
}

TEST(Finder, HandsWhatOtherPodsDecideToTheSearch) {
  World world;
  world.Add(MakeNode("a", 4));
  world.Add(MakeNode("b", 4));
  kube::PodSpec guard = MakeSpec(1);
  guard.affinity.required_anti_pod = {testing::MakeTerm("app", "noisy", kHost)};
  world.Run("guard", "a", guard);
  Finder finder(world.cluster());
  const auto quiet = finder.Match({world.Role(1, MakeSpec(3), {{"app", "quiet"}})});
  EXPECT_EQ(Text(world, quiet), "a");
  EXPECT_EQ(finder.counters().indexed, 1U);
  const auto noisy = finder.Match({world.Role(1, MakeSpec(3), {{"app", "noisy"}})});
  EXPECT_EQ(Text(world, noisy), "b");
  EXPECT_EQ(finder.counters().searched, 1U);
}

}  // namespace
}  // namespace cadre::match

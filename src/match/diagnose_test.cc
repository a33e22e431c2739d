#include "match/diagnose.h"

#include <gtest/gtest.h>

#include "match/testing.h"

namespace cadre::match {
namespace {

using testing::kHost;
using testing::kRack;
using testing::kZone;
using testing::MakeNode;
using testing::MakeSpec;
using testing::MakeTerm;
using testing::World;

const std::string rack(kRack);

#define SHOW(name, expr)                                           \
  {                                                                \
    const Diagnosis d = (expr);                                    \
    printf("%-40s %d %s\n", name, (int)d.kind, d.message.c_str()); \
  }

TEST(Diagnose, Show) {
  {
    World w;
    for (int i = 0; i < 12; ++i)
      w.Add(MakeNode(fmt::format("n{}", i), 4));
    auto s = MakeSpec(1);
    s.node_selector = {{"pool", "x"}};
    SHOW("selector", w.WhyNot({w.Role(2, s)}));
    SHOW("no gpu", w.WhyNot({w.Role(2, MakeSpec(1, {{"nvidia.com/gpu", 1}}))}));
    SHOW("too many", w.WhyNot({w.Role(49, MakeSpec(1))}));
    SHOW("too big", w.WhyNot({w.Role(1, MakeSpec(5))}));
    auto r = w.Role(2, MakeSpec(1));
    r.required_topology = rack;
    SHOW("no rack", w.WhyNot({r}));
    auto a = MakeSpec(1);
    a.affinity.required_anti_pod = {MakeTerm("app", "x", kHost)};
    SHOW("anti never", w.WhyNot({w.Role(13, a, {{"app", "x"}})}));
    SHOW("mixed", w.WhyNot({testing::Tree({w.Role(12, MakeSpec(3)), w.Role(12, MakeSpec(2))})}));
    SHOW("mixed sum", w.WhyNot({testing::Tree({w.Role(12, MakeSpec(3)), w.Role(13, MakeSpec(1))})}));
    auto m = w.Role(3, MakeSpec(1));
    m.minimum = 5;
    SHOW("min", w.WhyNot({m}));
    m = w.Role(70, MakeSpec(1));
    m.minimum = 60;
    SHOW("elastic", w.WhyNot({m}));
  }
  {
    World w;
    auto n = MakeNode("a", 4);
    n.spec.taints.push_back({"a", "b", "NoSchedule"});
    w.Add(n);
    n.metadata.name = n.metadata.uid = "b";
    w.Add(n);
    auto c = MakeNode("c", 4);
    c.spec.unschedulable = true;
    w.Add(c);
    SHOW("taints", w.WhyNot({w.Role(2, MakeSpec(1))}));
    w.Add(MakeNode("d", 4));
    w.Run("p", "d", MakeSpec(3));
    SHOW("busy", w.WhyNot({w.Role(2, MakeSpec(1))}));
  }
  {
    World w;
    for (int i = 0; i < 8; ++i)
      w.Add(MakeNode(fmt::format("n{}", i), 4, {{rack, fmt::format("r{}", i / 2)}}));
    for (int i = 0; i < 8; ++i)
      w.Run(fmt::format("p{}", i), fmt::format("n{}", i), MakeSpec(2 + i % 2), {{"app", "web"}});
    auto r = w.Role(4, MakeSpec(1));
    r.required_topology = rack;
    SHOW("rack now", w.WhyNot({r}));
    r = w.Role(9, MakeSpec(1));
    r.required_topology = rack;
    SHOW("rack never", w.WhyNot({r}));
    SHOW("not now", w.WhyNot({w.Role(5, MakeSpec(2))}));
    r = w.Role(5, MakeSpec(1));
    r.required_topology = rack;
    SHOW("rack all racks", w.WhyNot({testing::Tree({r, r, r, r})}));
    auto a = MakeSpec(1);
    a.affinity.required_anti_pod = {MakeTerm("app", "web", kHost)};
    SHOW("anti others", w.WhyNot({w.Role(1, a)}));
    a = MakeSpec(1);
    a.affinity.required_pod = {MakeTerm("app", "cache", kHost)};
    SHOW("affinity none", w.WhyNot({w.Role(1, a)}));
    a = MakeSpec(1);
    a.node_selector = {{rack, "r1"}};
    SHOW("selector now", w.WhyNot({w.Role(4, a)}));
    a = MakeSpec(1);
    a.topology_spread = {testing::MakeSpread("app", "web", kHost)};
    SHOW("spread", w.WhyNot({w.Role(9, a, {{"app", "web"}})}));
  }
}

}  // namespace
}  // namespace cadre::match

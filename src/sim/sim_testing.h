// For tests only: short ways to make objects and write them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kube/decode.h"
#include "kube/job.h"
#include "kube/node.h"
#include "kube/pod.h"
#include "sim/memory_api.h"
#include "sim/virtual_clock.h"

namespace cadre::sim {

inline drive::Effect EffectOf(drive::What what, std::string uid = {}, std::uint64_t version = 0) {
  drive::Effect effect;
  effect.what = std::move(what);
  effect.uid = std::move(uid);
  effect.resource_version = version;
  return effect;
}

inline drive::Target PodTarget(std::string name) {
  return {kube::Kind::kPod, "ns", std::move(name)};
}

inline json::object PodBody(std::string_view name, json::object spec = {}) {
  if (!spec.contains("containers"))
    spec["containers"] = json::array{{{"name", "main"}, {"image", "busybox:1"}}};
  return {{"metadata", {{"name", name}}}, {"spec", std::move(spec)}};
}

inline json::object NodeBody(std::string_view name, json::object allocatable) {
  return {{"metadata", {{"name", name}}}, {"status", {{"allocatable", std::move(allocatable)}}}};
}

inline json::object JobBody(std::string_view name, json::object spec = {}) {
  if (!spec.contains("template")) {
    spec["template"] = {{"spec",
                         {{"restartPolicy", "Never"},
                          {"containers", json::array{{{"name", "main"}, {"image", "busybox:1"}}}}}}};
  }
  return {{"metadata", {{"name", name}}}, {"spec", std::move(spec)}};
}

// An API server in memory, in namespace "ns", whose time the test moves.
class MemoryApiFixture : public testing::Test {
 protected:
  static constexpr Time kStart{std::chrono::milliseconds(1'764'660'000'000)};  // 2025-12-02T07:20:00Z

  drive::WriteResult Write(drive::What what, std::string uid = {}, std::uint64_t version = 0) {
    return api_.WriteNow("tester", EffectOf(std::move(what), std::move(uid), version));
  }
  kube::Object Created(kube::Kind kind, json::object body) {
    const drive::WriteResult result = api_.CreateNow("tester", kind, std::move(body), "ns");
    EXPECT_EQ(result.outcome, drive::Outcome::kDone) << result.message;
    return result.object.value();
  }
  kube::Object CreatedPod(std::string_view name, json::object spec = {}) {
    return Created(kube::Kind::kPod, PodBody(name, std::move(spec)));
  }
  kube::Object CreatedJob(std::string_view name, json::object spec = {}) {
    return Created(kube::Kind::kJob, JobBody(name, std::move(spec)));
  }
  drive::WriteResult Bind(const std::string& pod, const std::string& node) {
    return Write(drive::Bind{PodTarget(pod), node, {}});
  }
  const kube::Object* Find(kube::Kind kind, std::string_view name) const {
    return api_.Find(kind, "ns", name);
  }
  const kube::Pod& Pod(std::string_view name) const {
    const kube::Object* object = Find(kube::Kind::kPod, name);
    CADRE_ASSERT(object != nullptr, fmt::format("there is no pod {}", name));
    return object->As<kube::Pod>();
  }

  VirtualClock clock_{kStart};
  MemoryApi api_{clock_};
};

}  // namespace cadre::sim

// Small objects for the tests of this folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "app/simulation.h"
#include "kube/manifest.h"
#include "kube/object.h"

namespace cadre::app::testing {

// A folder of the running test's own, gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = fmt::format("cadre_{}_{}", test->name(), ::getpid());
    std::ranges::replace(name, '/', '_');  // of a test with parameters
    path_ = std::filesystem::temp_directory_path() / name;
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  // Returns the path of the file.
  std::string Write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

// The objects of a manifest. Asserts that all of it could be read.
inline std::vector<kube::Object> Objects(std::string_view yaml) {
  kube::Manifests manifests;
  // What starts with a brace would be taken for JSON.
  kube::LoadText(fmt::format("---\n{}", yaml), "test.yaml", manifests);
  for (const kube::Problem& problem : manifests.problems)
    CADRE_ASSERT(false, kube::ToString(problem));
  std::vector<kube::Object> objects;
  for (kube::LoadedObject& loaded : manifests.objects)
    objects.push_back(std::move(loaded.object));
  return objects;
}

inline kube::Object OneObject(std::string_view yaml) {
  std::vector<kube::Object> objects = Objects(yaml);
  CADRE_ASSERT(objects.size() == 1, "not one object");
  return objects.front();
}

// Equal nodes n0, n1, …, of so many CPUs and 64 GiB.
inline std::vector<kube::Object> Nodes(int count, std::string_view cpu, std::string_view more = "") {
  std::vector<kube::Object> nodes;
  for (int i = 0; i < count; ++i) {
    nodes.push_back(OneObject(fmt::format(R"(
apiVersion: v1
kind: Node
metadata: {{name: n{}, labels: {{kubernetes.io/hostname: n{}}}}}
status: {{allocatable: {{cpu: "{}", memory: 64Gi, pods: "110"{}}}}}
)",
                                          i, i, cpu, more)));
  }
  return nodes;
}

// An Indexed Job whose pods all run at once.
inline kube::Object Gang(std::string_view name, int pods, std::string_view cpu, std::string_view sleep = "10",
                         std::string_view job_spec = "") {
  return OneObject(fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: {}}}
spec:
  completionMode: Indexed
  parallelism: {}
  completions: {}{}
  template:
    spec:
      restartPolicy: Never
      containers:
        - {{name: main, image: busybox, command: [sleep, "{}"], resources: {{requests: {{cpu: "{}"}}}}}}
)",
                               name, pods, pods, job_spec, sleep, cpu));
}

inline kube::Object LonePod(std::string_view name, std::string_view cpu, std::string_view sleep = "10",
                            std::string_view spec = "") {
  return OneObject(fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {}}}
spec:
  restartPolicy: Never{}
  containers:
    - {{name: main, image: busybox, command: [sleep, "{}"], resources: {{requests: {{cpu: "{}"}}}}}}
)",
                               name, spec, sleep, cpu));
}

// The row of this name; asserts that there is one.
inline const GroupRecord& Row(const Simulation& simulation, std::string_view name) {
  for (const GroupRecord* record : simulation.recorder().Groups()) {
    if (record->key.name == name) return *record;
  }
  CADRE_ASSERT(false, fmt::format("no row {}", name));
}

inline std::int64_t SecondsOf(Time time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time - SimulationOptions().start).count();
}

}  // namespace cadre::app::testing

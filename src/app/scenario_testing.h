// What the tests over all scenario files share.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/scenario.h"

namespace cadre::app {

inline std::filesystem::path ScenarioFolder() {
  return std::filesystem::path(CADRE_SOURCE_DIR) / "testdata" / "scenarios";
}

// Names of all scenario files, without ending, sorted.
inline std::vector<std::string> AllScenarioNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(ScenarioFolder())) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

// A test's name may hold letters, digits and underscores only.
inline std::string TestNameOf(const std::string& scenario) {
  std::string name = scenario;
  std::ranges::replace_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

inline Result<Scenario> LoadScenarioNamed(const std::string& name) {
  return LoadScenario((ScenarioFolder() / (name + ".yaml")).string());
}

// A scenario of one node and one pod around what a test is about.
inline std::string FileWith(std::string_view steps, std::string_view expect) {
  return fmt::format(R"(scenario: A pod runs.
report: own
cluster:
  nodes: [{{name: node, cpu: 4}}]
steps:
{}
expect:
{}
---
apiVersion: v1
kind: Pod
metadata: {{name: web, annotations: {{cadre.dev/sim-duration: 10s}}}}
spec:
  restartPolicy: Never
  containers: [{{name: main, image: busybox, resources: {{requests: {{cpu: 1}}}}}}]
)",
                     steps, expect);
}

}  // namespace cadre::app

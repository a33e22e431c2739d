// For tests only: objects written as the YAML that a user would write, and seeds of the property tests.
// Include after gtest.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kube/manifest.h"
#include "kube/meta.h"
#include "kube/object.h"

namespace cadre::kube {

// The one object in `yaml`; anything else in it fails the test. (namespace: default when it has none.)
inline Object FromYaml(std::string_view yaml) {
  Manifests manifests;
  LoadText(yaml, "test.yaml", manifests);
  for (const Problem& problem : manifests.problems)
    ADD_FAILURE() << ToString(problem);
  EXPECT_TRUE(manifests.unknown.empty());
  if (manifests.objects.size() != 1) {
    throw std::runtime_error(fmt::format("expected one object, found {} in:\n{}", manifests.objects.size(),
                                         yaml));  // gtest reports it
  }
  return manifests.objects.front().object;
}

inline Condition ConditionOf(std::string type, bool status) {
  Condition condition;
  condition.type = std::move(type);
  condition.status = status;
  return condition;
}

// The problems of `text`, as a user sees them, one per line.
inline std::string ProblemsOf(std::string_view text) {
  Manifests manifests;
  LoadText(text, "test.yaml", manifests);
  std::string all;
  for (const Problem& problem : manifests.problems)
    all += ToString(problem) + "\n";
  return all;
}

// rapidcheck takes its parameters from the environment; a set RC_PARAMS wins, to repeat a failure.
inline const bool kPropertySeedIsFixed = ::setenv("RC_PARAMS", "seed=20261202 max_success=1000", 0) == 0;

}  // namespace cadre::kube

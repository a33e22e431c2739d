// Label selectors (metav1.LabelSelector) and node selector requirements (core/v1), one matcher for both.
// Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors and
// the API reference of NodeSelectorRequirement (Gt and Lt compare integers).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/meta.h"

namespace cadre::kube {

enum class SelectorOperator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

struct Requirement {
  std::string key;
  SelectorOperator op = SelectorOperator::kIn;
  std::vector<std::string> values;

  friend bool operator==(const Requirement&, const Requirement&) = default;
};

// matchLabels are folded into requirements (key In [value]). Empty selector: matches everything.
struct LabelSelector {
  std::vector<Requirement> requirements;

  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

// NotIn and DoesNotExist match when the key is absent. Gt/Lt with a value that is no integer never match.
bool Matches(const Requirement& requirement, const StringMap& labels);
bool Matches(const LabelSelector& selector, const StringMap& labels);

// "zone in (a, b)", "gpu", "!gpu", "cores > 4": as kubectl prints it.
std::string ToString(const Requirement& requirement);
std::string ToString(const LabelSelector& selector);

}  // namespace cadre::kube

#include "kube/selector.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cadre::kube {
namespace {

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t value = 0;
  // from_chars knows no plus sign, Go's ParseInt does.
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool MatchesNumber(const Requirement& requirement, const std::string& label) {
  if (requirement.values.size() != 1) return false;
  const std::optional<std::int64_t> found = ParseInteger(label);
  const std::optional<std::int64_t> bound = ParseInteger(requirement.values.front());
  if (!found || !bound) return false;
  return requirement.op == SelectorOperator::kGt ? *found > *bound : *found < *bound;
}

}  // namespace

bool Matches(const Requirement& requirement, const StringMap& labels) {
  const auto label = labels.find(requirement.key);
  const bool present = label != labels.end();
  const auto listed = [&] {
    return std::ranges::find(requirement.values, label->second) != requirement.values.end();
  };
  switch (requirement.op) {
    case SelectorOperator::kIn:
      return present && listed();
    case SelectorOperator::kNotIn:
      return !present || !listed();
    case SelectorOperator::kExists:
      return present;
    case SelectorOperator::kDoesNotExist:
      return !present;
    case SelectorOperator::kGt:
    case SelectorOperator::kLt:
      return present && MatchesNumber(requirement, label->second);
  }
  return false;
}

bool Matches(const LabelSelector& selector, const StringMap& labels) {
  return std::ranges::all_of(selector.requirements, [&](const Requirement& r) { return Matches(r, labels); });
}

std::string ToString(const Requirement& requirement) {
  const std::string values = fmt::format("{}", fmt::join(requirement.values, ", "));
  switch (requirement.op) {
    case SelectorOperator::kIn:
      if (requirement.values.size() == 1) return fmt::format("{}={}", requirement.key, values);
      return fmt::format("{} in ({})", requirement.key, values);
    case SelectorOperator::kNotIn:
      return fmt::format("{} notin ({})", requirement.key, values);
    case SelectorOperator::kExists:
      return requirement.key;
    case SelectorOperator::kDoesNotExist:
      return fmt::format("!{}", requirement.key);
    case SelectorOperator::kGt:
      return fmt::format("{} > {}", requirement.key, values);
    case SelectorOperator::kLt:
      return fmt::format("{} < {}", requirement.key, values);
  }
  return {};
}

std::string ToString(const LabelSelector& selector) {
  if (selector.requirements.empty()) return "everything";
  std::string text;
  for (const Requirement& requirement : selector.requirements) {
    if (!text.empty()) text += ", ";
    text += ToString(requirement);
  }
  return text;
}

}  // namespace cadre::kube

#include "core/plan.h"

#include "base/hash.h"
#include "base/json.h"

namespace cadre::core {
namespace {

// A plan never names more members than a Job can have (the API's bound on parallelism of Indexed Jobs); a
// text that claims more is not one of ours.
constexpr std::int64_t kMostMembers = 100'000;

// The name of an annotation has at most 63 characters.
constexpr std::size_t kLongestPart = 40;

}  // namespace

std::string StartedAnnotationOf(std::string_view part) {
  std::string name(kStartedAnnotation);
  if (part.empty()) return name;
  name += '-';
  if (part.size() > kLongestPart) return name + Hex(Fnv1a64(part));
  for (const char c : part)
    name += c == ' ' ? '-' : c;  // "stage 2"
  return name;
}

void Plan::Put(const std::string& unit, std::int32_t index, std::string node) {
  if (index >= 0) {
    indexed_[unit].insert_or_assign(index, std::move(node));
  } else {
    unindexed_[unit].insert(std::move(node));
  }
}

std::string_view Plan::NodeOf(std::string_view unit, std::int32_t index) const {
  const auto members = indexed_.find(unit);
  if (members == indexed_.end()) return {};
  const auto found = members->second.find(index);
  return found == members->second.end() ? std::string_view{} : std::string_view(found->second);
}

std::vector<std::string> Plan::NodesOf(std::string_view unit) const {
  const auto members = unindexed_.find(unit);
  if (members == unindexed_.end()) return {};
  return {members->second.begin(), members->second.end()};
}

void Plan::ForgetUnindexed(std::string_view unit) {
  const auto found = unindexed_.find(unit);
  if (found != unindexed_.end()) unindexed_.erase(found);
}

void Plan::Merge(const Plan& other) {
  for (const auto& [unit, members] : other.indexed_)
    indexed_[unit].insert(members.begin(), members.end());
  for (const auto& [unit, nodes] : other.unindexed_)
    unindexed_.try_emplace(unit, nodes);
}

std::string Plan::Encode(std::uint64_t epoch) const {
  json::object units;
  for (const auto& [unit, members] : indexed_) {
    json::array runs;
    for (const auto& [index, node] : members) {
      if (!runs.empty()) {
        json::array& last = runs.back().get_array();
        if (last[2].get_string() == node && last[0].get_int64() + last[1].get_int64() == index) {
          last[1] = last[1].get_int64() + 1;
          continue;
        }
      }
      runs.push_back(json::array{index, 1, node});
    }
    units[unit] = std::move(runs);
  }
  for (const auto& [unit, nodes] : unindexed_) {
    json::value& runs = units[unit];
    if (!runs.is_array()) runs = json::array{};
    for (auto node = nodes.begin(); node != nodes.end(); node = nodes.upper_bound(*node)) {
      runs.get_array().push_back(json::array{-1, static_cast<std::int64_t>(nodes.count(*node)), *node});
    }
  }
  return json::serialize(json::object{{"v", 1}, {"epoch", epoch}, {"units", std::move(units)}});
}

std::optional<Plan> Plan::Decode(std::string_view text) {
  boost::system::error_code error;
  const json::value root = json::parse(text, error);
  const json::value* version = error ? nullptr : Find(root, {"v"});
  const json::value* units = error ? nullptr : Find(root, {"units"});
  if (version == nullptr || *version != 1 || units == nullptr || !units->is_object()) return std::nullopt;
  Plan plan;
  std::int64_t members = 0;
  for (const auto& [unit, runs] : units->get_object()) {
    if (!runs.is_array()) return std::nullopt;
    for (const json::value& run : runs.get_array()) {
      const json::array* parts = run.if_array();
      if (parts == nullptr || parts->size() != 3 || !(*parts)[0].is_int64() || !(*parts)[1].is_int64() ||
          !(*parts)[2].is_string()) {
        return std::nullopt;
      }
      const std::int64_t first = (*parts)[0].get_int64();
      const std::int64_t count = (*parts)[1].get_int64();
      if (first < -1 || first > kMostMembers || count < 0 || count > kMostMembers) return std::nullopt;
      members += count;
      if (members > kMostMembers) return std::nullopt;
      for (std::int64_t i = 0; i < count; ++i) {
        plan.Put(std::string(unit), static_cast<std::int32_t>(first < 0 ? -1 : first + i),
                 std::string((*parts)[2].get_string()));
      }
    }
  }
  return plan;
}

}  // namespace cadre::core

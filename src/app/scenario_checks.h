// What a scenario can ask of a subject: one table of checks, each with what it wants and how it is judged.
// docs/scenarios.md lists them for people who write scenarios.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cluster.h"
#include "app/scenario.h"
#include "app/scenario_world.h"

namespace cadre::app {

enum class Wants : std::uint8_t { kCounts, kTexts, kRef, kPartial };
enum class About : std::uint8_t { kPods, kObject, kProgram };

// What checks look at.
struct CheckContext {
  const Cluster& cluster;
  const ScenarioWorld& world;
};

struct CheckRule {
  std::string_view name;
  About about;
  Wants wants;
  // What is wrong, as "is 2, expected 3"; none when nothing is.
  std::optional<std::string> (*problem)(const CheckContext& context, const Subject& of, const Check& check);
};

std::span<const CheckRule> CheckRules();

// Judges one expectation; each complaint names the line, the subject and what was found.
std::vector<std::string> Judge(const CheckContext& context, const Expectation& expectation);

// Whether `actual` has everything `wanted` has: maps by key (null: the key is absent), each item of a list
// somewhere in the actual list, everything else by value.
bool Contains(const json::value& actual, const json::value& wanted);

}  // namespace cadre::app

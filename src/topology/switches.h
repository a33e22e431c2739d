// Switches above switches above nodes, as files describe them: checked, and turned into one path of names for
// each node.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cadre::topology {

struct Switch {
  std::string name{};
  std::size_t line = 0;                 // 1-based; 0: the format does not tell
  std::vector<std::string> switches{};  // below it
  std::vector<std::string> nodes{};     // directly attached
};

struct SwitchPaths {
  std::map<std::string, std::vector<std::string>, std::less<>> of;  // node -> switches, the top one first
  std::size_t depth = 0;                                            // the longest of them
  std::vector<std::string> notes;                                   // what was repaired
};

// Refused, with the line: a switch described twice, a node or switch below two switches, a switch that nobody
// describes, a cycle (which is also what "no root" comes to), more than kMostLevels levels, no node at all.
// Repaired, with a note: switches without nodes are dropped; several roots are a forest.
Result<SwitchPaths> ResolveSwitches(const std::vector<Switch>& switches);

// "line 3: " or "switch s1: ": how an error begins.
std::string At(const Switch& where);

}  // namespace cadre::topology

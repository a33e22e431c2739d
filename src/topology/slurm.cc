#include "topology/slurm.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "topology/hostlist.h"
#include "topology/switches.h"

namespace cadre::topology {
namespace {

constexpr std::string_view kSwitchKey = "cadre.dev/switch-";
constexpr std::string_view kBlockKey = "cadre.dev/block";
// Blocks in the largest aggregate that has a level (topology/levels.cc knows these keys).
constexpr std::uint64_t kMostBlocks = 8;
constexpr std::uint64_t kLargestBlockSize = 1'000'000;
constexpr std::size_t kShown = 40;

struct Parameter {
  std::string name;  // in lower case
  std::string as_written;
  std::string value;
};

struct Line {
  std::size_t number = 0;  // of its first physical line
  std::string text{};
};

// Without comments; continued lines joined; without empty ones.
std::vector<Line> LogicalLines(std::string_view text) {
  std::vector<Line> lines;
  bool continued = false;
  std::size_t number = 0;
  for (std::string_view physical : Split(text, '\n')) {
    ++number;
    physical = Trim(physical.substr(0, physical.find('#')));
    const bool goes_on = physical.ends_with('\\');
    if (goes_on) physical.remove_suffix(1);
    if (!continued) lines.push_back({.number = number});
    lines.back().text += physical;
    // What is continued may break anywhere, so nothing is put between.
    continued = goes_on;
  }
  std::erase_if(lines, [](const Line& line) { return Trim(line.text).empty(); });
  return lines;
}

std::string Shown(std::string_view text) {
  return text.size() <= kShown ? std::string(text) : fmt::format("{}…", text.substr(0, kShown));
}

// "A=b C="d e"" -> parameters.
Result<std::vector<Parameter>> ParametersOf(const Line& line) {
  std::vector<Parameter> parameters;
  for (std::string_view rest = Trim(line.text); !rest.empty(); rest = Trim(rest)) {
    const std::size_t end_of_name = rest.find_first_of("= \t");
    const std::string_view name = rest.substr(0, end_of_name);
    if (Lower(name) == "include")
      return Err(
          "line {}: Include is not followed: give the included file itself, or paste it in (a path in it is "
          "of the "
          "machine where Slurm runs)",
          line.number);
    if (end_of_name == std::string_view::npos || rest[end_of_name] != '=' || name.empty())
      return Err("line {}: \"{}\" is no NAME=VALUE", line.number,
                 Shown(rest.substr(0, rest.find_first_of(" \t"))));
    rest.remove_prefix(end_of_name + 1);
    std::size_t end = rest.find_first_of(" \t");
    std::string_view value = rest.substr(0, end);
    if (rest.starts_with('"')) {
      const std::size_t quote = rest.find('"', 1);
      if (quote == std::string_view::npos)
        return Err("line {}: the quote of {} is not closed", line.number, name);
      value = rest.substr(1, quote - 1);
      end = quote + 1;
    }
    parameters.push_back({Lower(name), std::string(name), std::string(value)});
    rest.remove_prefix(std::min(end, rest.size()));
  }
  return parameters;
}

struct Block {
  std::string name{};
  std::size_t line = 0;
  std::vector<std::string> nodes{};
};

class Reader {
 public:
  Result<void> Read(std::string_view text) {
    for (const Line& line : LogicalLines(text)) {
      CADRE_TRY(const std::vector<Parameter> parameters, ParametersOf(line));
      CADRE_TRY_VOID(Take(line, parameters));
    }
    if (!switches_.empty() && !blocks_.empty()) {
      const auto [first, second] = std::minmax(switches_.front().line, blocks_.front().line);
      return Err(
          "line {}: SwitchName and BlockName in one file (the other is in line {}): expected a tree or "
          "blocks",
          second, first);
    }
    if (switches_.empty() && blocks_.empty())
      return Err("there is no SwitchName and no BlockName: this is no topology.conf");
    return {};
  }

  const std::vector<Switch>& switches() const { return switches_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<std::uint64_t>& sizes() const { return sizes_; }

 private:
  static const std::string* ValueOf(const std::vector<Parameter>& parameters, std::string_view name) {
    const auto found = std::ranges::find(parameters, name, &Parameter::name);
    return found == parameters.end() ? nullptr : &found->value;
  }

  // A parameter that does not belong on such a line, twice, or unknown.
  static Result<void> Check(const Line& line, const std::vector<Parameter>& parameters,
                            std::initializer_list<std::string_view> expected) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Parameter& parameter = parameters[i];
      const auto same = std::ranges::find(parameters, parameter.name, &Parameter::name);
      if (static_cast<std::size_t>(same - parameters.begin()) != i)
        return Err("line {}: {} is given twice", line.number, parameter.as_written);
      if (std::ranges::find(expected, parameter.name) == expected.end())
        return Err("line {}: {} does not belong on a line of {}", line.number, Shown(parameter.as_written),
                   parameters.front().as_written);
    }
    return {};
  }

  Result<void> Take(const Line& line, const std::vector<Parameter>& parameters) {
    const std::string& first = parameters.front().name;
    if (first == "switchname") {
      CADRE_TRY_VOID(Check(line, parameters, {"switchname", "switches", "nodes", "linkspeed"}));
      return TakeSwitch(line, parameters);
    }
    if (first == "blockname") {
      CADRE_TRY_VOID(Check(line, parameters, {"blockname", "nodes"}));
      return TakeBlock(line, parameters);
    }
    if (first == "blocksizes") {
      CADRE_TRY_VOID(Check(line, parameters, {"blocksizes"}));
      return TakeSizes(line, parameters.front().value);
    }
    return Err("{}", Unknown(line, parameters.front()));
  }

  static std::string Unknown(const Line& line, const Parameter& parameter) {
    constexpr auto kOfSlurmConf = std::to_array<std::string_view>(
        {"clustername", "controlmachine", "slurmctldhost", "slurmuser", "authtype", "topologyplugin",
         "nodename", "partitionname", "selecttype", "schedulertype"});
    if (std::ranges::find(kOfSlurmConf, parameter.name) != kOfSlurmConf.end())
      return fmt::format(
          "line {}: {} belongs to slurm.conf: import the topology.conf beside it, which holds switches or "
          "blocks",
          line.number, parameter.as_written);
    constexpr auto kExpected = std::to_array<std::string_view>({"switchname", "blockname", "blocksizes"});
    const std::string_view nearest = ClosestTo(parameter.name, kExpected);
    return fmt::format("line {}: {} is no parameter of topology.conf{}", line.number,
                       Shown(parameter.as_written),
                       nearest.empty() ? "" : fmt::format(", did you mean {}?", nearest));
  }

  // Names of one line's hosts; all lines together are bounded, too.
  Result<std::vector<std::string>> Hosts(const Line& line, const std::string* value) {
    if (value == nullptr) return std::vector<std::string>{};
    Result<std::vector<std::string>> names = ExpandHosts(*value);
    if (!names) return Err("line {}: {}", line.number, names.error().message);
    hosts_ += names->size();
    if (hosts_ > kMostHosts)
      return Err("line {}: more than {} hosts and switches in all", line.number, kMostHosts);
    return names;
  }

  static Result<std::string> NameOn(const Line& line, const Parameter& parameter) {
    CADRE_TRY(const std::vector<std::string> names, ExpandName(line, parameter));
    if (names.size() != 1)
      return Err("line {}: {}={} is {} names; expected one, each on a line of its own", line.number,
                 parameter.as_written, Shown(parameter.value), names.size());
    return names.front();
  }

  static Result<std::vector<std::string>> ExpandName(const Line& line, const Parameter& parameter) {
    Result<std::vector<std::string>> names = ExpandHosts(parameter.value);
    if (!names) return Err("line {}: {}", line.number, names.error().message);
    return names;
  }

  Result<void> TakeSwitch(const Line& line, const std::vector<Parameter>& parameters) {
    Switch found{.line = line.number};
    CADRE_TRY(found.name, NameOn(line, parameters.front()));
    CADRE_TRY(found.switches, Hosts(line, ValueOf(parameters, "switches")));
    CADRE_TRY(found.nodes, Hosts(line, ValueOf(parameters, "nodes")));
    switches_.push_back(std::move(found));
    return {};
  }

  Result<void> TakeBlock(const Line& line, const std::vector<Parameter>& parameters) {
    Block found{.line = line.number};
    CADRE_TRY(found.name, NameOn(line, parameters.front()));
    CADRE_TRY(found.nodes, Hosts(line, ValueOf(parameters, "nodes")));
    blocks_.push_back(std::move(found));
    return {};
  }

  Result<void> TakeSizes(const Line& line, const std::string& value) {
    if (!sizes_.empty()) return Err("line {}: BlockSizes is given twice", line.number);
    for (std::string_view text : Split(value, ',')) {
      text = Trim(text);
      std::uint64_t size = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
      if (error != std::errc{} || end != text.data() + text.size() || size == 0 || size > kLargestBlockSize)
        return Err("line {}: BlockSizes: \"{}\" is no number of nodes", line.number, Shown(text));
      const std::uint64_t base = sizes_.empty() ? size : sizes_.front();
      const std::uint64_t factor = size / base;
      const bool doubling = size % base == 0 && (factor & (factor - 1)) == 0;
      if (!doubling || (!sizes_.empty() && size <= sizes_.back()))
        return Err(
            "line {}: BlockSizes: {} after {}; expected each to be the first doubled so many times, "
            "ascending",
            line.number, size, sizes_.empty() ? size : sizes_.back());
      sizes_.push_back(size);
    }
    return {};
  }

  std::vector<Switch> switches_;
  std::vector<Block> blocks_;
  std::vector<std::uint64_t> sizes_;
  std::size_t hosts_ = 0;
};

Result<Imported> TreeOf(const std::vector<Switch>& switches) {
  CADRE_TRY(SwitchPaths paths, ResolveSwitches(switches));
  Imported imported;
  imported.what = fmt::format("a Slurm tree with {} of switches",
                              Quantify(static_cast<std::int64_t>(paths.depth), "level"));
  for (std::size_t level = 1; level <= paths.depth; ++level)
    imported.keys.push_back(fmt::format("{}{}", kSwitchKey, level));
  for (const auto& [node, path] : paths.of) {
    kube::StringMap& labels = imported.labels[node];
    for (std::size_t level = 0; level < path.size(); ++level)
      labels.insert_or_assign(imported.keys[level], path[level]);
  }
  imported.notes = std::move(paths.notes);
  return imported;
}

// The factors of the aggregates that get a level, largest first.
std::vector<std::size_t> FactorsOf(const std::vector<std::uint64_t>& sizes, Imported& imported) {
  std::vector<std::size_t> factors;
  for (std::size_t i = sizes.size(); i-- > 1;) {
    const std::uint64_t factor = sizes[i] / sizes.front();
    if (factor > kMostBlocks) {
      imported.notes.push_back(
          fmt::format("block size {} is {} blocks of {}: no level, the largest is of {} blocks", sizes[i],
                      factor, sizes.front(), kMostBlocks));
    } else {
      factors.push_back(factor);
      imported.keys.push_back(fmt::format("{}-x{}", kBlockKey, factor));
    }
  }
  return factors;
}

Result<Imported> BlocksOf(const std::vector<Block>& blocks, const std::vector<std::uint64_t>& sizes) {
  Imported imported;
  const std::vector<std::size_t> factors = FactorsOf(sizes, imported);
  imported.keys.emplace_back(kBlockKey);
  imported.what =
      fmt::format("Slurm blocks with {}", Quantify(static_cast<std::int64_t>(imported.keys.size()), "level"));
  std::map<std::string_view, const Block*> by_name;
  std::map<std::string_view, const Block*> block_of;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    if (const auto [known, added] = by_name.try_emplace(block.name, &block); !added)
      return Err("line {}: block {} is described already (line {})", block.line, block.name,
                 known->second->line);
    if (block.nodes.empty())
      imported.notes.push_back(
          fmt::format("line {}: block {} without nodes dropped", block.line, block.name));
    else if (!sizes.empty() && block.nodes.size() < sizes.front())
      imported.notes.push_back(
          fmt::format("line {}: block {} has {}, fewer than the block size {}", block.line, block.name,
                      Quantify(static_cast<std::int64_t>(block.nodes.size()), "node"), sizes.front()));
    for (const std::string& node : block.nodes) {
      if (const auto [known, added] = block_of.try_emplace(node, &block); !added && known->second != &block)
        return Err("line {}: node {} is in block {} already (line {}): a node is in one block", block.line,
                   node, known->second->name, known->second->line);
      kube::StringMap& labels = imported.labels[node];
      labels.insert_or_assign(std::string(kBlockKey), block.name);
      for (std::size_t f = 0; f < factors.size(); ++f)
        labels.insert_or_assign(imported.keys[f],
                                fmt::format("{}-x{}", blocks[i - i % factors[f]].name, factors[f]));
    }
  }
  if (imported.labels.empty()) return Err("there is no node in any block");
  return imported;
}

}  // namespace

Result<Imported> ImportSlurm(std::string_view text) {
  Reader reader;
  CADRE_TRY_VOID(reader.Read(text));
  if (!reader.switches().empty()) return TreeOf(reader.switches());
  return BlocksOf(reader.blocks(), reader.sizes());
}

}  // namespace cadre::topology

#include "topology/ibnetdiscover.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "topology/hostlist.h"
#include "topology/tree.h"

namespace cadre::topology {
namespace {

constexpr std::string_view kLeafKey = "network.topology.nvidia.com/leaf";
constexpr std::size_t kMostLines = 5'000'000;

// What stands between the first two of `quote` from `from` on; nothing without them.
std::optional<std::string_view> Quoted(std::string_view text, std::size_t from = 0) {
  const std::size_t open = text.find('"', from);
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t close = text.find('"', open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  return text.substr(open + 1, close - open - 1);
}

// The description after '#': of the switch itself on its own line, of the other end on a port's.
std::string_view Comment(std::string_view line) {
  const std::size_t hash = line.find('#');
  return hash == std::string_view::npos ? std::string_view{} : Quoted(line, hash).value_or("");
}

// "MF0;A09-P1-IBLEAF-01-01:MQM9701/U1" -> "A09-P1-IBLEAF-01-01"; else the guid.
std::string SwitchName(std::string_view comment, std::string_view guid) {
  if (const std::size_t semicolon = comment.find(';'); semicolon != std::string_view::npos)
    comment.remove_prefix(semicolon + 1);
  comment = Trim(comment.substr(0, comment.find(':')));
  return std::string(comment.empty() ? guid : comment);
}

// "node-07 mlx5_0" -> "node-07"; empty where the adapter does not know its host: its maker's text,
// "localhost".
std::string_view HostName(std::string_view comment) {
  const std::size_t blank = comment.find(' ');
  if (blank == std::string_view::npos || comment.find(' ', blank + 1) != std::string_view::npos) return {};
  const std::string_view host = comment.substr(0, blank);
  return host == "localhost" ? std::string_view{} : host;
}

constexpr std::size_t kNoSwitch = static_cast<std::size_t>(-1);

class Fabric {
 public:
  Result<void> Read(std::string_view text) {
    std::size_t at = kNoSwitch;  // the one whose ports follow
    std::size_t number = 0;
    for (std::string_view line : Split(text, '\n')) {
      if (++number > kMostLines) return Err("more than {} lines", kMostLines);
      line = Trim(line);
      if (line.starts_with("Switch")) {
        const auto guid = Quoted(line);
        if (!guid) return Err("line {}: a switch without a name in quotes", number);
        const auto [known, added] = switches_.try_emplace(std::string(*guid), names_.size());
        if (added) names_.push_back(SwitchName(Comment(line), *guid));
        at = known->second;
      } else if (line.starts_with("Ca") || line.starts_with("Rt")) {
        at = kNoSwitch;
      } else if (line.starts_with('[') && at != kNoSwitch) {
        const auto peer = Quoted(line);
        if (!peer) return Err("line {}: a port without its other end in quotes", number);
        if (!peer->starts_with("H-") || Comment(line).find("Aggregation Node") != std::string_view::npos)
          continue;
        const std::string_view host = HostName(Comment(line));
        if (host.empty()) {
          ++nameless_;
          continue;
        }
        hosts_[std::string(host)].push_back(at);
        if (hosts_.size() > kMostHosts) return Err("line {}: more than {} hosts", number, kMostHosts);
      }
    }
    return {};
  }

  Imported Units() const {
    std::vector<std::size_t> unit(names_.size());
    std::iota(unit.begin(), unit.end(), std::size_t{0});
    const auto root = [&](std::size_t at) {
      while (unit[at] != at) {
        unit[at] = unit[unit[at]];
        at = unit[at];
      }
      return at;
    };
    for (const auto& [host, switches] : hosts_) {
      for (const std::size_t at : switches)
        unit[root(at)] = root(switches.front());
    }
    std::map<std::size_t, std::string> name_of;
    std::vector<bool> leaf(names_.size());
    for (const auto& [host, switches] : hosts_) {
      for (const std::size_t at : switches) {
        leaf[at] = true;
        std::string& name = name_of[root(at)];
        if (name.empty() || NaturalLess(names_[at], name)) name = names_[at];
      }
    }
    const std::string key(kLeafKey);
    Imported imported{.keys = {key}};
    for (const auto& [host, switches] : hosts_)
      imported.labels[host][key] = name_of.at(root(switches.front()));
    const auto leaves = std::ranges::count(leaf, true);
    imported.what = fmt::format("an InfiniBand fabric with {} of hosts",
                                Quantify(static_cast<std::int64_t>(name_of.size()), "unit"));
    imported.notes.push_back(fmt::format(
        "{} with hosts, and {} above them, which are no level: every unit reaches all",
        Quantify(leaves, "switch", "switches"), static_cast<std::int64_t>(names_.size()) - leaves));
    if (nameless_ > 0)
      imported.notes.push_back(fmt::format("{} that do not tell their host left out",
                                           Quantify(static_cast<std::int64_t>(nameless_), "port")));
    return imported;
  }

  bool HasHosts() const { return !hosts_.empty(); }

 private:
  std::map<std::string, std::size_t, std::less<>> switches_;  // by guid
  std::vector<std::string> names_;                            // by number
  std::map<std::string, std::vector<std::size_t>, std::less<>> hosts_;
  std::size_t nameless_ = 0;  // ports to adapters without a host's name
};

}  // namespace

bool LooksLikeIbnetdiscover(std::string_view text) {
  return text.find("switchguid=") != std::string_view::npos ||
         text.find("\nSwitch\t") != std::string_view::npos;
}

Result<Imported> ImportIbnetdiscover(std::string_view text) {
  Fabric fabric;
  CADRE_TRY_VOID(fabric.Read(text));
  if (!fabric.HasHosts()) return Err("no switch has a port to a host");
  return fabric.Units();
}

}  // namespace cadre::topology

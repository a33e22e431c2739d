#include "topology/import.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/text.h"
#include "kube/yaml.h"
#include "topology/ec2.h"
#include "topology/slurm.h"
#include "topology/topograph.h"

namespace cadre::topology {
namespace {

constexpr std::size_t kMostLabelValue = 63;
constexpr std::size_t kNamed = 5;

struct Importer {
  std::string_view name;
  Result<Imported> (*import)(std::string_view text);
};

constexpr std::array<Importer, 3> kImporters = {
    {{"slurm", ImportSlurm}, {"ec2", ImportEc2}, {"topograph", ImportTopograph}}};

bool IsAlnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Nothing changes a value that is one already.
std::string ToLabelValue(std::string_view name) {
  std::string value;
  for (const char c : name)
    value += IsAlnum(c) || c == '-' || c == '_' || c == '.' ? c : '-';
  const auto trim = [&] {
    while (!value.empty() && !IsAlnum(value.back()))
      value.pop_back();
    value.erase(0, static_cast<std::size_t>(std::ranges::find_if(value, IsAlnum) - value.begin()));
  };
  trim();
  if (value.size() <= kMostLabelValue && !value.empty()) return value;
  // Long names tend to differ in their ends.
  const std::string hash = fmt::format("{:016x}", Fnv1a64(name));
  value.resize(std::min(value.size(), kMostLabelValue - hash.size() - 1));
  trim();
  return value.empty() ? hash : value + "-" + hash;
}

// The values of one key: name -> value.
class ValuesOfKey {
 public:
  const std::string& Of(const std::string& name) {
    const auto [known, added] = by_name_.try_emplace(name);
    if (added) {
      known->second = ToLabelValue(name);
      if (!used_.insert(known->second).second) {
        known->second = ToLabelValue(fmt::format("{:.40}-{:016x}", known->second, Fnv1a64(name)));
        used_.insert(known->second);
      }
      if (known->second != name) changed_.push_back(fmt::format("\"{}\" is {}", name, known->second));
    }
    return known->second;
  }
  // A name that is a value already keeps it, whatever others are changed to.
  void Reserve(const std::string& name) {
    if (ToLabelValue(name) != name) return;
    by_name_.try_emplace(name, name);
    used_.insert(name);
  }
  const std::vector<std::string>& changed() const { return changed_; }

 private:
  std::map<std::string, std::string> by_name_;
  std::set<std::string> used_;
  std::vector<std::string> changed_;
};

std::string_view UpToDot(std::string_view name) {
  return name.substr(0, name.find('.'));
}

// Where hosts are looked up; a name that several nodes answer to is no node's.
class NodeIndex {
 public:
  static constexpr std::size_t kSeveral = static_cast<std::size_t>(-1);

  NodeIndex(std::span<const NodeIdentity> nodes, bool by_instance) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NodeIdentity& node = nodes[i];
      const std::string_view provider = node.provider_id;
      if (by_instance) {
        const std::size_t slash = provider.rfind('/');
        if (slash != std::string_view::npos) Add(0, provider.substr(slash + 1), i);
        Add(1, UpToDot(node.name), i);
      } else {
        Add(0, node.name, i);
        if (!node.hostname.empty()) Add(1, node.hostname, i);
        Add(2, UpToDot(node.name), i);
      }
    }
  }

  // The better way of naming first.
  std::optional<std::size_t> Find(std::string_view host) const {
    for (const auto& names : ways_) {
      if (const auto found = names.find(host); found != names.end()) return found->second;
    }
    return std::nullopt;
  }

 private:
  void Add(std::size_t way, std::string_view name, std::size_t node) {
    const auto [known, added] = ways_[way].try_emplace(name, node);
    if (!added && known->second != node) known->second = kSeveral;
  }

  std::array<std::map<std::string_view, std::size_t>, 3> ways_;
};

}  // namespace

Result<ImportFlag> ParseImportFlag(std::string_view flag) {
  const std::size_t colon = flag.find(':');
  const std::string_view format = flag.substr(0, colon);
  std::vector<std::string_view> names;
  for (const Importer& importer : kImporters)
    names.push_back(importer.name);
  if (std::ranges::find(names, format) == names.end()) {
    const std::string_view nearest = ClosestTo(format, names);
    return Err("--import: \"{}\" is no source of topology{}; expected slurm:FILE, ec2:FILE or topograph:FILE",
               format, nearest.empty() ? "" : fmt::format(", did you mean {}?", nearest));
  }
  if (colon == std::string_view::npos || colon + 1 == flag.size())
    return Err("--import: {} of which file? Expected {}:FILE", format, format);
  return ImportFlag{.format = std::string(format), .file = std::string(flag.substr(colon + 1))};
}

Result<Imported> ImportText(const ImportFlag& flag, std::string_view text) {
  const auto importer = std::ranges::find(kImporters, flag.format, &Importer::name);
  CADRE_ASSERT(importer != kImporters.end(), "an import flag names an importer");
  CADRE_TRY(Imported imported, importer->import(text));
  MakeLabelValues(imported);
  return imported;
}

Result<void> RenameKeys(Imported& imported, const std::vector<std::string>& keys) {
  if (keys.size() != imported.keys.size())
    return Err("--levels names {}, but {} has {}: {}",
               Quantify(static_cast<std::int64_t>(keys.size()), "level"), imported.what, imported.keys.size(),
               fmt::join(imported.keys, ", "));
  for (auto& [host, labels] : imported.labels) {
    kube::StringMap renamed;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (const auto found = labels.find(imported.keys[i]); found != labels.end())
        renamed.insert_or_assign(keys[i], found->second);
    }
    labels = std::move(renamed);
  }
  imported.keys = keys;
  return {};
}

void MakeLabelValues(Imported& imported) {
  for (const std::string& key : imported.keys) {
    ValuesOfKey values;
    for (const auto& [host, labels] : imported.labels) {
      if (const auto found = labels.find(key); found != labels.end()) values.Reserve(found->second);
    }
    for (auto& [host, labels] : imported.labels) {
      if (const auto found = labels.find(key); found != labels.end())
        found->second = values.Of(found->second);
    }
    if (values.changed().empty()) continue;
    imported.notes.push_back(fmt::format("{} of {} changed to be label values: {}",
                                         Quantify(static_cast<std::int64_t>(values.changed().size()), "name"),
                                         key, SomeOf(values.changed(), kNamed)));
  }
}

Matched MatchNodes(const Imported& imported, std::span<const NodeIdentity> nodes) {
  const NodeIndex index(nodes, imported.by_instance);
  Matched matched;
  std::vector<std::string> several;
  std::map<std::size_t, std::string_view> host_of;
  for (const auto& [host, labels] : imported.labels) {
    const std::optional<std::size_t> node = index.Find(host);
    if (!node) {
      matched.unmatched.push_back(host);
    } else if (*node == NodeIndex::kSeveral) {
      several.push_back(host);
    } else if (const auto [known, added] = host_of.try_emplace(*node, host); !added) {
      matched.notes.push_back(fmt::format("{} and {} are both node {}: the first is taken", known->second,
                                          host, nodes[*node].name));
    } else {
      matched.labels.insert_or_assign(nodes[*node].name, labels);
    }
  }
  if (!several.empty())
    matched.notes.push_back(fmt::format("{} may be several nodes each, so that none of these is labelled: {}",
                                        Quantify(static_cast<std::int64_t>(several.size()), "host"),
                                        SomeOf(several, kNamed)));
  for (const NodeIdentity& node : nodes) {
    if (!matched.labels.contains(node.name)) matched.unlabelled.push_back(node.name);
  }
  std::ranges::sort(matched.unlabelled);
  return matched;
}

Result<json::value> ParseDocument(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return Err("the file is empty");
  if (text[start] == '{' || text[start] == '[') {
    json::error_code error;
    json::parse_options options;
    options.max_depth = kube::kMaxNesting;
    json::value value = json::parse(text, error, {}, options);
    if (error) return Err("not valid JSON: {}", error.message());
    return value;
  }
  for (const kube::YamlChunk& chunk : kube::SplitYaml(text)) {
    const auto document = kube::ParseYaml(chunk);
    if (!document) return Err("line {}: not valid YAML: {}", document.error().line, document.error().message);
    if (*document) return (*document)->value;
  }
  return Err("the file holds no document");
}

}  // namespace cadre::topology

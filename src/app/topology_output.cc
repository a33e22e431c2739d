#include "app/topology_output.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "base/utf8.h"
#include "kube/resources.h"

namespace cadre::app {
namespace {

using topology::Domain;
using topology::DomainIndex;
using topology::Tree;

constexpr std::size_t kMostChildren = 16;
constexpr std::size_t kMostNames = 6;
constexpr std::size_t kMostSizes = 8;

std::string Nodes(std::size_t count) {
  return Quantify(static_cast<std::int64_t>(count), "node");
}

// CPU, memory and what is plugged in (GPUs and the like); the rest says little about a place.
std::string Capacity(const kube::ResourceList& total) {
  kube::ResourceList shown;
  for (const auto& [resource, amount] : total) {
    if (resource == kube::kCpu || resource == kube::kMemory || kube::IsExtended(resource))
      shown.insert_or_assign(resource, amount);
  }
  return shown.empty() ? std::string{} : Printable(kube::FormatAmounts(shown));
}

// "21 ×2, 16, 15, 11 ×5".
std::string Sizes(const std::vector<std::size_t>& sizes) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < sizes.size();) {
    std::size_t end = i;
    while (end < sizes.size() && sizes[end] == sizes[i])
      ++end;
    texts.push_back(end - i == 1 ? std::to_string(sizes[i]) : fmt::format("{} ×{}", sizes[i], end - i));
    i = end;
  }
  if (texts.size() > kMostSizes) {
    return fmt::format("{} to {}", sizes.back(), sizes.front());
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

class TextWriter {
 public:
  TextWriter(const TopologyReport& report, bool all) : report_(report), tree_(report.tree), all_(all) {}

  std::string Write() {
    for (const std::string& import : report_.imports)
      text_ += Printable(import) + "\n";
    List("Notes", report_.notes);
    if (!text_.empty()) text_ += "\n";
    WriteLevels();
    WriteDomain(topology::kWhole, "", "");
    std::vector<std::string> oddities;
    for (const topology::Oddity& oddity : report_.oddities)
      oddities.push_back(oddity.text);
    if (!oddities.empty()) text_ += "\n";
    List("Holes and oddities", oddities);
    return std::move(text_);
  }

 private:
  void List(std::string_view title, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    text_ += fmt::format("{}:\n", title);
    for (const std::string& text : texts)
      text_ += fmt::format("  - {}\n", Printable(text));
  }

  void WriteLevels() {
    if (tree_.levels().empty()) {
      text_ +=
          "No topology levels: no node carries a well-known topology label (--topology names others).\n\n";
      return;
    }
    std::size_t width = 0;
    for (const std::string& key : tree_.levels())
      width = std::max(width, key.size());
    text_ += fmt::format("{:<{}}  {:>7}  {}\n", report_.levels_given ? "LEVEL (given)" : "LEVEL (found)",
                         width, "DOMAINS", "NODES IN EACH");
    for (const std::string& key : tree_.levels()) {
      const std::vector<std::size_t> sizes = tree_.SizesOf(key);
      text_ +=
          fmt::format("{:<{}}  {:>7}  {}\n", key, width, sizes.size(), sizes.empty() ? "-" : Sizes(sizes));
    }
    text_ += "\n";
  }

  static std::string Describe(const Domain& domain) {
    const std::string capacity = Capacity(domain.total);
    return Nodes(domain.nodes.size()) + (capacity.empty() ? "" : ", " + capacity);
  }

  // A level of single nodes says nothing that its size does not.
  bool Shows(const Domain& domain) const {
    return all_ || std::ranges::any_of(domain.children, [&](DomainIndex child) {
             return tree_.domain(child).nodes.size() > 1;
           });
  }

  void WriteDomain(DomainIndex index, const std::string& first, const std::string& rest) {
    const Domain& domain = tree_.domain(index);
    if (index == topology::kWhole)
      text_ += fmt::format("the cluster: {}\n", Describe(domain));
    else
      text_ += fmt::format("{}{} {}: {}\n", first, topology::ShortName(tree_.levels()[domain.level]),
                           Printable(domain.value), Describe(domain));
    std::vector<std::pair<std::string, DomainIndex>> lines;  // text of its own, or a child
    if (Shows(domain)) {
      const std::size_t shown =
          all_ ? domain.children.size() : std::min(domain.children.size(), kMostChildren);
      for (std::size_t i = 0; i < shown; ++i)
        lines.emplace_back("", domain.children[i]);
      if (shown < domain.children.size()) lines.emplace_back(More(domain, shown), topology::kWhole);
      if (!domain.own.empty() && !domain.children.empty())
        lines.emplace_back(Homeless(domain), topology::kWhole);
    }
    if (all_ && domain.children.empty()) {
      for (const std::size_t node : domain.own)
        lines.emplace_back(Printable(tree_.nodes()[node]), topology::kWhole);
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool last = i + 1 == lines.size();
      const std::string branch = rest + (last ? "└─ " : "├─ ");
      if (lines[i].first.empty())
        WriteDomain(lines[i].second, branch, rest + (last ? "   " : "│  "));
      else
        text_ += branch + lines[i].first + "\n";
    }
  }

  std::string More(const Domain& domain, std::size_t shown) const {
    std::size_t nodes = 0;
    for (std::size_t i = shown; i < domain.children.size(); ++i)
      nodes += tree_.domain(domain.children[i]).nodes.size();
    return fmt::format("… {} more with {} (-v lists them)", domain.children.size() - shown, Nodes(nodes));
  }

  // Nodes beside domains: they lack the label.
  std::string Homeless(const Domain& domain) const {
    std::vector<std::string> names;
    for (const std::size_t node : domain.own)
      names.push_back(Printable(tree_.nodes()[node]));
    const std::size_t shown = all_ ? names.size() : kMostNames;
    return fmt::format("in none of these: {} ({})", Nodes(names.size()), SomeOf(names, shown));
  }

  const TopologyReport& report_;
  const Tree& tree_;
  const bool all_;
  std::string text_;
};

json::array Strings(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts)
    array.emplace_back(text);
  return array;
}

json::object DomainJson(const Tree& tree, DomainIndex index) {
  const Domain& domain = tree.domain(index);
  json::object object;
  if (index != topology::kWhole) {
    object["key"] = tree.levels()[domain.level];
    object["value"] = domain.value;
  }
  object["path"] = tree.NameOf(index);
  object["nodes"] = domain.nodes.size();
  json::object total;
  for (const auto& [resource, amount] : domain.total)
    total[resource] = amount;
  object["allocatable"] = std::move(total);
  if (!domain.own.empty()) {
    json::array names;
    for (const std::size_t node : domain.own)
      names.emplace_back(tree.nodes()[node]);
    object["ownNodes"] = std::move(names);
  }
  if (!domain.children.empty()) {
    json::array children;
    for (const DomainIndex child : domain.children)
      children.emplace_back(DomainJson(tree, child));  // as deep as there are levels, which are few
    object["domains"] = std::move(children);
  }
  return object;
}

}  // namespace

std::string ToText(const TopologyReport& report, bool all) {
  return TextWriter(report, all).Write();
}

json::value ToJson(const TopologyReport& report) {
  json::array levels;
  for (const std::string& key : report.tree.levels()) {
    const std::vector<std::size_t> sizes = report.tree.SizesOf(key);
    levels.emplace_back(json::object{
        {"key", key}, {"domains", sizes.size()}, {"nodesInEach", json::array(sizes.begin(), sizes.end())}});
  }
  json::array oddities;
  for (const topology::Oddity& oddity : report.oddities) {
    json::object object{{"kind", topology::NameOf(oddity.kind)}, {"text", oddity.text}};
    if (!oddity.key.empty()) object["key"] = oddity.key;
    if (!oddity.nodes.empty()) object["nodes"] = Strings(oddity.nodes);
    oddities.emplace_back(std::move(object));
  }
  json::object root;
  root["levels"] = std::move(levels);
  root["tree"] = DomainJson(report.tree, topology::kWhole);
  root["oddities"] = std::move(oddities);
  root["imports"] = Strings(report.imports);
  root["notes"] = Strings(report.notes);
  return root;
}

}  // namespace cadre::app

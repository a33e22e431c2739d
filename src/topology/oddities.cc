#include "topology/oddities.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"

namespace cadre::topology {
namespace {

constexpr std::size_t kNamed = 5;
// A value under two parents is a stray label when at most one in so many of its nodes are elsewhere, and
// most values of the level have one parent only.
constexpr std::size_t kStrayShare = 4;

class Inspector {
 public:
  explicit Inspector(const Tree& tree) : tree_(tree) {}

  std::vector<Oddity> Run() {
    for (level_ = 0; level_ < tree_.levels().size(); ++level_) {
      domains_ = tree_.DomainsOf(level_);
      if (domains_.empty()) {
        Say(OddityKind::kNoDomain, fmt::format("no node has the label {}", Key()));
        continue;
      }
      FindMissing();
      FindUseless();
      FindShared();
      FindSizes();
    }
    for (const std::string& text : tree_.left_out())
      found_.push_back({.kind = OddityKind::kLeftOut, .text = text});
    return std::move(found_);
  }

 private:
  const std::string& Key() const { return tree_.levels()[level_]; }

  void Say(OddityKind kind, std::string text, std::vector<std::string> nodes = {}) {
    found_.push_back({kind, Key(), std::move(text), std::move(nodes)});
  }

  // Several of one kind: the first few, and how many more there are.
  void SayAll(OddityKind kind, std::vector<Oddity> all) {
    const std::size_t more = all.size() > kNamed ? all.size() - kNamed : 0;
    all.resize(std::min(all.size(), kNamed));
    if (more > 0) all.back().text += fmt::format(" (and {} more like this)", more);
    for (Oddity& oddity : all)
      Say(kind, std::move(oddity.text), std::move(oddity.nodes));
  }

  std::vector<std::string> NodeNames(const std::vector<std::size_t>& nodes) const {
    std::vector<std::string> names;
    for (const std::size_t node : nodes)
      names.push_back(tree_.nodes()[node]);
    return names;
  }

  void FindMissing() {
    std::vector<bool> inside(tree_.nodes().size());
    for (const DomainIndex index : domains_) {
      for (const std::size_t node : tree_.domain(index).nodes)
        inside[node] = true;
    }
    std::vector<std::string> missing;
    for (std::size_t node = 0; node < inside.size(); ++node) {
      if (!inside[node]) missing.push_back(tree_.nodes()[node]);
    }
    if (missing.empty()) return;
    std::string text = fmt::format("{} of {} have no {}: {}", missing.size(),
                                   Quantify(static_cast<std::int64_t>(inside.size()), "node"), Key(),
                                   SomeOf(missing, kNamed));
    Say(OddityKind::kMissing, std::move(text), std::move(missing));
  }

  bool SameNodes(const std::vector<DomainIndex>& others) const {
    if (others.size() != domains_.size()) return false;
    std::set<std::vector<std::size_t>> mine;
    for (const DomainIndex index : domains_)
      mine.insert(tree_.domain(index).nodes);
    return std::ranges::all_of(others,
                               [&](DomainIndex index) { return mine.contains(tree_.domain(index).nodes); });
  }

  void FindUseless() {
    if (domains_.size() == 1) {
      if (tree_.nodes().size() > 1)
        Say(OddityKind::kOneDomain, fmt::format("{} has one domain only, {}: it narrows nothing down", Key(),
                                                tree_.domain(domains_.front()).value));
      return;
    }
    const bool single = std::ranges::all_of(
        domains_, [&](DomainIndex index) { return tree_.domain(index).nodes.size() == 1; });
    if (single) {
      Say(OddityKind::kAlike, fmt::format("every {} is one node: as good as {}", Key(), kHostname));
      return;
    }
    for (std::size_t coarser = level_; coarser-- > 0;) {
      if (!SameNodes(tree_.DomainsOf(coarser))) continue;
      Say(OddityKind::kAlike, fmt::format("{} and {} cut alike: the same {} domains", tree_.levels()[coarser],
                                          Key(), domains_.size()));
      return;
    }
  }

  // Values that stand in more than one place, with the domains that have them, most nodes first.
  std::map<std::string, std::vector<DomainIndex>> Shared(std::size_t& values) const {
    std::map<std::string, std::vector<DomainIndex>> by_value;
    for (const DomainIndex index : domains_)
      by_value[tree_.domain(index).value].push_back(index);
    values = by_value.size();
    std::erase_if(by_value, [](const auto& entry) { return entry.second.size() == 1; });
    for (auto& [value, domains] : by_value) {
      std::ranges::stable_sort(domains, std::ranges::greater{},
                               [&](DomainIndex index) { return tree_.domain(index).nodes.size(); });
    }
    return by_value;
  }

  void FindShared() {
    std::size_t values = 0;
    const auto shared = Shared(values);
    // Where the values as such are shared (racks 1 to 8 in every zone), no node is astray.
    const bool usual = shared.size() * 2 > values;
    std::vector<Oddity> strays;
    std::vector<Oddity> twice;
    for (const auto& [value, domains] : shared) {
      std::vector<std::size_t> elsewhere;
      for (std::size_t i = 1; i < domains.size(); ++i) {
        const std::vector<std::size_t>& nodes = tree_.domain(domains[i]).nodes;
        elsewhere.insert(elsewhere.end(), nodes.begin(), nodes.end());
      }
      const std::size_t at_home = tree_.domain(domains.front()).nodes.size();
      if (!usual && elsewhere.size() * kStrayShare <= at_home)
        strays.push_back(Stray(domains, std::move(elsewhere), at_home));
      else
        twice.push_back({.text = Twice(value, domains)});
    }
    SayAll(OddityKind::kStray, std::move(strays));
    if (usual && twice.size() > kNamed) {
      const std::string text = twice.front().text;
      twice = {{.text = fmt::format("{} values of {} stand for more than one domain each; {}", twice.size(),
                                    Key(), text)}};
    }
    SayAll(OddityKind::kShared, std::move(twice));
  }

  Oddity Stray(const std::vector<DomainIndex>& domains, std::vector<std::size_t> elsewhere,
               std::size_t at_home) const {
    std::ranges::sort(elsewhere);
    std::vector<std::string> names = NodeNames(elsewhere);
    const Domain& home = tree_.domain(domains.front());
    const Domain& other = tree_.domain(domains[1]);
    return {.text = fmt::format(
                "{} of {} {} {} in {}, the other {} of it in {}: a wrong label?", SomeOf(names, kNamed),
                Key(), home.value, names.size() == 1 ? "is" : "are", tree_.NameOf(other.parent),
                Quantify(static_cast<std::int64_t>(at_home), "node"), tree_.NameOf(home.parent)),
            .nodes = std::move(names)};
  }

  std::string Twice(const std::string& value, const std::vector<DomainIndex>& domains) const {
    std::vector<std::string> parents;
    for (const DomainIndex index : domains)
      parents.push_back(tree_.NameOf(tree_.domain(index).parent));
    std::ranges::sort(parents, NaturalLess);
    return fmt::format("{} {} is {} domains, for it lies in {}", Key(), value, domains.size(),
                       SomeOf(parents, kNamed));
  }

  void FindSizes() {
    std::map<DomainIndex, std::vector<DomainIndex>> by_parent;
    for (const DomainIndex index : domains_)
      by_parent[tree_.domain(index).parent].push_back(index);
    std::vector<Oddity> odd;
    for (const auto& [parent, siblings] : by_parent) {
      if (siblings.size() < 3) continue;
      std::vector<std::size_t> sizes;
      for (const DomainIndex index : siblings)
        sizes.push_back(tree_.domain(index).nodes.size());
      std::ranges::sort(sizes);
      const std::size_t median = sizes[sizes.size() / 2];
      for (const DomainIndex index : siblings) {
        const std::size_t size = tree_.domain(index).nodes.size();
        const bool large = size > median * kFarFromMedian;
        if (!large && size * kFarFromMedian >= median) continue;
        odd.push_back(
            {.text = fmt::format("{} {} has {}, far {} than the {} beside it (median {})", Key(),
                                 tree_.NameOf(index), Quantify(static_cast<std::int64_t>(size), "node"),
                                 large ? "more" : "fewer", siblings.size() - 1, median)});
      }
    }
    SayAll(OddityKind::kSize, std::move(odd));
  }

  const Tree& tree_;
  std::size_t level_ = 0;
  std::vector<DomainIndex> domains_;  // of the level
  std::vector<Oddity> found_;
};

}  // namespace

std::string_view NameOf(OddityKind kind) {
  constexpr std::array<std::pair<OddityKind, std::string_view>, 8> kNames = {{
      {OddityKind::kMissing, "missing"},
      {OddityKind::kNoDomain, "no-domain"},
      {OddityKind::kOneDomain, "one-domain"},
      {OddityKind::kAlike, "alike"},
      {OddityKind::kShared, "shared-value"},
      {OddityKind::kStray, "stray"},
      {OddityKind::kSize, "size"},
      {OddityKind::kLeftOut, "left-out"},
  }};
  const auto found = std::ranges::find(kNames, kind, &std::pair<OddityKind, std::string_view>::first);
  CADRE_ASSERT(found != kNames.end(), "every kind of oddity has a name");
  return found->second;
}

std::vector<Oddity> FindOddities(const Tree& tree) {
  return Inspector(tree).Run();
}

}  // namespace cadre::topology

#include "report/html_tree.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "report/html_axis.h"
#include "report/html_domains.h"
#include "report/html_escape.h"
#include "report/html_text.h"
#include "report/run_text.h"

namespace cadre::report {

namespace {

constexpr std::size_t kSlices = 48;
constexpr std::size_t kNamedCells = 64;  // up to so many, names stand in the squares
constexpr std::size_t kClaimsShown = 8;  // of one domain

std::string DigitsOf(const UnitLoad& load) {
  std::string digits;
  for (const double slice : load.slices)
    fmt::format_to(std::back_inserter(digits), "{:02x}", std::lround(std::clamp(slice, 0.0, 1.0) * 100));
  return digits;
}

class Map {
 public:
  Map(const RunReport& report, const HtmlLimits& limits)
      : report_(report), tree_(TreeOf(report, limits.cells)) {
    if (report.end > Duration(0)) {
      loads_ = LoadsOf(report, tree_.unit_of_node, tree_.Parents(), kSlices);
    } else {
      loads_.resize(tree_.all.size());
    }
    const auto cells = std::count_if(tree_.all.begin(), tree_.all.end(),
                                     [](const DomainNode& node) { return node.children.empty(); });
    named_cells_ = static_cast<std::size_t>(cells) <= kNamedCells;
    claims_.resize(tree_.all.size());
    FindClaims();
  }

  std::string Html() const {
    std::string html = Slider();
    html += fmt::format("<div class=\"map{}\">\n", named_cells_ ? " named" : "");
    html += UnitHtml(0) + "</div>\n";
    if (!tree_.shows_nodes)
      html += fmt::format(
          "<p class=\"note\">{} are too many for a square each: a square stands for all nodes of a domain, "
          "or for nodes "
          "that are neighbours by name.</p>\n",
          Count(report_.nodes.size(), "node"));
    return html;
  }

 private:
  // Paths from the top, without levels that are missing, name a unit of the tree.
  void FindClaims() {
    for (const DomainClaim& claim : report_.claims) {
      std::size_t at = 0;
      for (std::size_t level = 0; level < claim.path.size() && at != kNoUnit; ++level) {
        if (!claim.path[level].empty()) at = ChildOf(at, level, claim.path[level]);
      }
      if (at != kNoUnit && at != 0 && tree_.all[at].level == claim.key) claims_[at].push_back(&claim);
    }
  }

  std::size_t ChildOf(std::size_t unit, std::size_t level, std::string_view value) const {
    if (level >= report_.levels.size()) return kNoUnit;
    for (const std::size_t child : tree_.all[unit].children) {
      if (tree_.all[child].level == report_.levels[level] && tree_.all[child].name == value) return child;
    }
    return kNoUnit;
  }

  std::string Slider() const {
    if (report_.end <= Duration(0)) return "";
    return fmt::format(R"(<form class="when" hidden><label for="when">Load</label> )"
                       R"(<input id="when" type="range" min="0" max="{}" value="0" data-end="{}">)"
                       R"(<output for="when">whole run, mean</output></form>)"
                       "\n",
                       kSlices, report_.end.count());
  }

  // What both squares and headings say and carry.
  std::string Title(const DomainNode& node, const UnitLoad& load) const {
    std::string title = EscapeCut(node.name, kLongestName);
    if (!node.is_node) title += fmt::format(", {}", Count(node.nodes, "node"));
    return fmt::format("{}: mean {}, peak {}", title, PercentText(load.mean), PercentText(load.peak));
  }

  std::string UnitHtml(std::size_t index) const {
    return tree_.all[index].children.empty() && index != 0 ? CellHtml(index) : DomainHtml(index);
  }

  std::string CellHtml(std::size_t index) const {
    const DomainNode& node = tree_.all[index];
    const UnitLoad& load = loads_[index];
    const std::string name = named_cells_ ? EscapeCut(node.name, kLongestName) : "";
    const std::string_view claimed = claims_[index].empty() ? "" : " cl";
    return fmt::format(R"(<i class="cell l{}{}" data-l="{}" title="{}{}">{}</i>)", LoadLevel(load.mean),
                       claimed, DigitsOf(load), Title(node, load), ClaimTitle(index), name);
  }

  std::string ClaimTitle(std::size_t index) const {
    std::string text;
    for (std::size_t i = 0; i < std::min(claims_[index].size(), kClaimsShown); ++i) {
      const DomainClaim& claim = *claims_[index][i];
      text += fmt::format("; claimed by {} {}", EscapeCut(claim.group, kLongestName), SpanText(claim.span));
    }
    return text;
  }

  std::string ClaimsHtml(std::size_t index) const {
    std::string html;
    const std::vector<const DomainClaim*>& claims = claims_[index];
    for (std::size_t i = 0; i < std::min(claims.size(), kClaimsShown); ++i)
      fmt::format_to(std::back_inserter(html),
                     R"( <span class="claim" data-from="{}" data-to="{}">claimed by {}, {}</span>)",
                     claims[i]->span.from.count(),
                     claims[i]->span.to.value_or(report_.end + Duration(1)).count(),
                     EscapeCut(claims[i]->group, kLongestName), SpanText(claims[i]->span));
    if (claims.size() > kClaimsShown)
      html += fmt::format(" <span class=\"claim\">and {}</span>",
                          Count(claims.size() - kClaimsShown, "more claim"));
    return html;
  }

  std::string DomainHtml(std::size_t index) const {
    const DomainNode& node = tree_.all[index];
    const UnitLoad& load = loads_[index];
    const std::string name = index == 0 ? "Cluster"
                                        : fmt::format("<small>{}</small> {}", Escape(ShortName(node.level)),
                                                      EscapeCut(node.name, kLongestName));
    std::string domains;
    std::string cells;
    for (const std::size_t child : node.children)
      (tree_.all[child].children.empty() ? cells : domains) += UnitHtml(child);
    const bool leaf = domains.empty();
    const std::string size = Count(node.nodes, "node");
    return fmt::format(
        "<div class=\"dom{}\"><div class=\"dh\"><b>{}</b> <span class=\"n\">{}</span> {}"
        R"(<span class="meter l{}" data-l="{}"><i style="width:{}%"></i></span> <span class="pc">{}</span> )"
        R"(<span class="n pk">peak {}</span>{}</div>)"
        "{}{}</div>\n",
        leaf ? " leaf" : "", name, size, leaf ? "<span class=\"br\"></span>" : "", LoadLevel(load.mean),
        DigitsOf(load), ShortNumber(std::min(load.mean, 1.0) * 100), PercentText(load.mean),
        PercentText(load.peak), ClaimsHtml(index),
        cells.empty() ? "" : fmt::format("<div class=\"cells\">{}</div>", cells),
        domains.empty() ? "" : fmt::format("<div class=\"doms\">{}</div>", domains));
  }

  const RunReport& report_;
  const DomainTree tree_;
  std::vector<UnitLoad> loads_;
  std::vector<std::vector<const DomainClaim*>> claims_;  // by unit
  bool named_cells_ = false;
};

}  // namespace

std::string TreeHtml(const RunReport& report, const HtmlLimits& limits) {
  if (report.nodes.empty()) return "";
  std::string scale;
  for (int level = 0; level <= 10; ++level)
    scale += fmt::format("<i class=\"l{}\"></i>", level);
  const std::string lead = fmt::format(
      "Each square is {}. Its load is that of its scarcest resource: requested of allocatable. "
      "<span class=\"scale\">0 % {} 100 %</span>",
      report.nodes.size() <= limits.cells ? "a node" : "a part of the cluster", scale);
  return Section("topology", "Topology and load", lead, Map(report, limits).Html());
}

}  // namespace cadre::report

#include "report/html_holders.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "report/html_axis.h"
#include "report/html_escape.h"
#include "report/html_gantt.h"
#include "report/html_text.h"

namespace cadre::report {

namespace {

constexpr std::size_t kMostLanes = 10;
constexpr std::size_t kStripSlices = 60;
constexpr std::size_t kColours = 8;
constexpr double kLabelledFrom = 0.03;  // bars narrower than this share of the run have no name in them

using Stays = std::vector<Span>;

// Stays of pods of one group in one part, as stretches without a gap.
std::vector<Holding> Stretches(std::size_t group, const Stays& stays, Duration end) {
  std::vector<std::pair<Duration, int>> changes;
  for (const Span& stay : stays) {
    changes.emplace_back(stay.from, +1);
    if (stay.to) changes.emplace_back(*stay.to, -1);
  }
  // Who comes at an instant is there before the others go: a pod that moved leaves no gap.
  std::sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  std::vector<Holding> stretches;
  std::int64_t now = 0;
  std::int64_t settled_most = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (now == 0) {
      stretches.push_back(
          {.group = group, .span = {changes[i].first, std::nullopt}, .members = 0, .lane = 0});
      settled_most = 0;
    }
    now += changes[i].second;
    // Only what stays when the instant is over counts: a pod and its successor are one member.
    if (i + 1 == changes.size() || changes[i + 1].first != changes[i].first)
      settled_most = std::max(settled_most, now);
    stretches.back().members = static_cast<std::size_t>(settled_most);
    if (now == 0) stretches.back().span.to = changes[i].first;
  }
  std::erase_if(stretches,
                [&](const Holding& holding) { return holding.span.to.value_or(end) <= holding.span.from; });
  return stretches;
}

void AssignLanes(std::vector<Holding>& holdings, Duration end) {
  std::sort(holdings.begin(), holdings.end(), [](const Holding& a, const Holding& b) {
    return std::pair(a.span.from, a.group) < std::pair(b.span.from, b.group);
  });
  std::vector<Duration> free_from;  // by lane
  for (Holding& holding : holdings) {
    const auto lane = std::find_if(free_from.begin(), free_from.end(),
                                   [&](Duration time) { return time <= holding.span.from; });
    holding.lane = static_cast<std::size_t>(lane - free_from.begin());
    const Duration until = holding.span.to.value_or(end);
    if (lane == free_from.end()) {
      free_from.push_back(until);
    } else {
      *lane = until;
    }
  }
}

std::size_t LanesOf(const std::vector<Holding>& holdings) {
  std::size_t lanes = 1;
  for (const Holding& holding : holdings)
    lanes = std::max(lanes, holding.lane + 1);
  return lanes;
}

// One chart: the rows of one division.
class Chart {
 public:
  Chart(const RunReport& report, const HtmlLimits& limits, const Division& division)
      : report_(report),
        division_(division),
        axis_(report.end),
        with_namespace_(NeedNamespaces(report)),
        bars_per_row_(std::max<std::size_t>(
            limits.holder_bars / std::max<std::size_t>(division.parts.size(), 1), kMostLanes)),
        holdings_(HoldingsOf(report, division)),
        loads_(LoadsOf(report, division.part_of_node,
                       std::vector<std::size_t>(division.parts.size(), kNoUnit), kStripSlices)),
        claims_(division.parts.size()) {
    FindClaims();
  }

  std::string Html() const {
    std::string html = OpenRows(fmt::format("Who held which {}", division_.title), axis_);
    std::string_view within;
    for (std::size_t i = 0; i < division_.parts.size(); ++i) {
      const Division::Part& part = division_.parts[i];
      if (part.within != within) {
        within = part.within;
        html += fmt::format("<div class=\"row group\"><span class=\"name\">{}</span></div>\n",
                            EscapeCut(within, kLongestName));
      }
      html += PartHtml(i);
    }
    return Notes() + html + CloseRows();
  }

 private:
  // Claims whose domain is exactly a part of this chart.
  void FindClaims() {
    for (const DomainClaim& claim : report_.claims) {
      for (std::size_t node = 0; node < report_.nodes.size(); ++node) {
        if (claim.path.empty() || division_.part_of_node[node] == kNoUnit) continue;
        const std::vector<std::string>& path = report_.nodes[node].path;
        const std::size_t level = claim.path.size() - 1;
        if (path.size() <= level || report_.levels[level] != claim.key ||
            !std::equal(claim.path.begin(), claim.path.end(), path.begin()))
          continue;
        std::vector<const DomainClaim*>& claims = claims_[division_.part_of_node[node]];
        if (std::find(claims.begin(), claims.end(), &claim) == claims.end()) claims.push_back(&claim);
      }
    }
  }

  std::string PartHtml(std::size_t index) const {
    const Division::Part& part = division_.parts[index];
    const std::vector<Holding>& holdings = holdings_[index];
    const UnitLoad& load = loads_[index];
    std::string name = EscapeCut(part.name, kLongestName);
    if (part.nodes > 1 || division_.title != "node")
      name += fmt::format(" <small>{}</small>", Count(part.nodes, "node"));
    const std::string story =
        fmt::format("{} held it {}; load: mean {}, peak {}", GroupsIn(holdings),
                    Count(holdings.size(), "time"), PercentText(load.mean), PercentText(load.peak));
    const bool strip = IsStrip(holdings);
    const std::string bars = ClaimBars(index) + (strip ? StripOf(load) : BarsOf(holdings));
    return RowHtml(name, story, bars, strip ? 1 : LanesOf(holdings));
  }

  static std::string GroupsIn(const std::vector<Holding>& holdings) {
    std::vector<std::size_t> groups;
    for (const Holding& holding : holdings)
      groups.push_back(holding.group);
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    return Count(groups.size(), "group");
  }

  std::string ClaimBars(std::size_t index) const {
    std::string bars;
    for (const DomainClaim* claim :
         std::span(claims_[index]).first(std::min(claims_[index].size(), bars_per_row_)))
      fmt::format_to(std::back_inserter(bars), R"(<i class="c" style="{}" title="claimed by {}: {}"></i>)",
                     axis_.Box(claim->span.from, claim->span.to.value_or(axis_.end())),
                     EscapeCut(claim->group, kLongestName), SpanText(claim->span));
    return bars;
  }

  std::string BarsOf(const std::vector<Holding>& holdings) const {
    std::string bars;
    for (const Holding& holding : holdings) {
      const GroupRow& row = report_.groups[holding.group];
      const std::string name = EscapeCut(NameOf(row, with_namespace_), kLongestName);
      const Duration to = holding.span.to.value_or(axis_.end());
      const bool labelled = Seconds(to - holding.span.from) >= kLabelledFrom * Seconds(axis_.end());
      const std::string lane = holding.lane > 0 ? fmt::format(";--lane:{}", holding.lane) : "";
      const std::string short_name = labelled ? EscapeCut(NameOf(row, false), kLongestName) : "";
      const std::string label =
          labelled && holding.members > 1 ? fmt::format("{} ×{}", short_name, holding.members) : short_name;
      fmt::format_to(std::back_inserter(bars),
                     R"html(<i class="h k{}" style="{}{}" title="{}: {}, {} ({})">{}</i>)html",
                     holding.group % kColours, axis_.Box(holding.span.from, to), lane, name,
                     Count(holding.members, "member"), SpanText(holding.span),
                     FormatDuration(to - holding.span.from), label);
    }
    return bars;
  }

  // Neighbouring slices of one level are one box.
  std::string StripOf(const UnitLoad& load) const {
    std::string bars;
    for (std::size_t from = 0; from < kStripSlices;) {
      const int level = LoadLevel(load.slices[from]);
      std::size_t to = from + 1;
      while (to < kStripSlices && LoadLevel(load.slices[to]) == level)
        ++to;
      if (level > 0) {
        const Span span{axis_.SliceStart(from, kStripSlices), axis_.SliceStart(to, kStripSlices)};
        fmt::format_to(std::back_inserter(bars),
                       R"(<i class="l{}" style="{}" title="{}: load about {} %"></i>)", level,
                       axis_.Box(span.from, *span.to), SpanText(span), level * 10);
      }
      from = to;
    }
    return bars;
  }

  bool IsStrip(const std::vector<Holding>& holdings) const {
    return LanesOf(holdings) > kMostLanes || holdings.size() > bars_per_row_;
  }

  std::string Notes() const {
    std::string notes;
    const auto strips = std::count_if(holdings_.begin(), holdings_.end(),
                                      [&](const auto& holdings) { return IsStrip(holdings); });
    if (strips > 0)
      notes = fmt::format(
          "<p class=\"note\">{} of {} rows had more than {} holdings, or more than {} at a time: they show "
          "the "
          "load instead, the darker the fuller.</p>\n",
          strips, division_.parts.size(), bars_per_row_, kMostLanes);
    const auto outside = std::count(division_.part_of_node.begin(), division_.part_of_node.end(), kNoUnit);
    if (outside > 0)
      notes +=
          fmt::format("<p class=\"note\">{} in no {}: not in this chart.</p>\n",
                      outside == 1 ? "1 node is" : Grouped(static_cast<std::size_t>(outside)) + " nodes are",
                      Escape(division_.title));
    return notes;
  }

  const RunReport& report_;
  const Division& division_;
  const TimeAxis axis_;
  const bool with_namespace_;
  const std::size_t bars_per_row_;
  const std::vector<std::vector<Holding>> holdings_;
  const std::vector<UnitLoad> loads_;
  std::vector<std::vector<const DomainClaim*>> claims_;  // by part
};

}  // namespace

std::vector<std::vector<Holding>> HoldingsOf(const RunReport& report, const Division& division) {
  std::unordered_map<std::string_view, std::size_t> part_by_name;
  for (std::size_t i = 0; i < report.nodes.size(); ++i)
    part_by_name.emplace(report.nodes[i].name, division.part_of_node[i]);
  std::vector<std::vector<Holding>> holdings(division.parts.size());
  for (std::size_t group = 0; group < report.groups.size(); ++group) {
    std::map<std::size_t, Stays> stays;
    for (const MemberPlacement& placement : report.groups[group].placements) {
      const auto part = part_by_name.find(placement.node);
      if (part != part_by_name.end() && part->second != kNoUnit)
        stays[part->second].push_back(placement.span);
    }
    for (const auto& [part, spans] : stays) {
      for (const Holding& holding : Stretches(group, spans, report.end))
        holdings[part].push_back(holding);
    }
  }
  for (std::vector<Holding>& part : holdings)
    AssignLanes(part, report.end);
  return holdings;
}

std::string HoldersHtml(const RunReport& report, const HtmlLimits& limits) {
  if (report.groups.empty() || report.end <= Duration(0) || report.nodes.empty()) return "";
  const Division by_domain = DivideByDomain(report, limits.holder_rows);
  const Division by_node = DivideByNode(report, limits.holder_rows);
  std::string body;
  if (!by_domain.parts.empty())
    body +=
        fmt::format("<h3>By {}</h3>\n", Escape(by_domain.title)) + Chart(report, limits, by_domain).Html();
  if (!by_node.parts.empty()) {
    const bool open = by_domain.parts.empty();
    body += fmt::format("<details{}><summary>By node</summary>\n{}</details>\n", open ? " open" : "",
                        Chart(report, limits, by_node).Html());
  } else {
    body += fmt::format("<p class=\"note\">{} are more than the {} that get a row of their own.</p>\n",
                        Count(report.nodes.size(), "node"), limits.holder_rows);
  }
  constexpr std::string_view kLead =
      "A bar is a group that had pods there, ×3 the most of its members at one time. Colours only tell "
      "neighbours apart.";
  constexpr std::string_view kWithClaims = R"( <span class="key"><i class="c"></i>claimed</span>)";
  return Section("holders", "Who held what",
                 std::string(kLead) + std::string(report.claims.empty() ? "" : kWithClaims), body);
}

}  // namespace cadre::report

#include "report/run_json.h"

#include <utility>

namespace cadre::report {

namespace {

json::value OrNull(const std::optional<Duration>& time) {
  return time ? json::value(Seconds(*time)) : json::value(nullptr);
}

json::value OrNull(const std::optional<double>& number) {
  return number ? json::value(*number) : json::value(nullptr);
}

json::array Strings(const std::vector<std::string>& texts) {
  json::array array;
  array.reserve(texts.size());
  for (const std::string& text : texts)
    array.emplace_back(text);
  return array;
}

json::object SpanOf(const Span& span) {
  json::object object;
  object["start_s"] = Seconds(span.from);
  object["end_s"] = OrNull(span.to);
  return object;
}

json::object GroupOf(const GroupRow& row) {
  json::object object;
  object["name"] = row.name;
  object["namespace"] = row.namespace_;
  object["kind"] = row.kind;
  object["members"] = row.members;
  object["state"] = ToString(row.state);
  object["outcome"] = row.outcome.empty() ? json::value(nullptr) : json::value(row.outcome);
  object["submit_s"] = Seconds(row.submit);
  object["first_bind_s"] = OrNull(row.first_bind);
  object["start_s"] = OrNull(row.start);
  object["end_s"] = OrNull(row.end);
  object["wait_s"] = row.start ? json::value(Seconds(*row.start - row.submit)) : json::value(nullptr);
  object["reason"] = row.reason;
  object["expected_start_s"] = OrNull(row.expected_start);
  object["nodes"] = Strings(row.nodes);
  json::object domains;
  for (const auto& [key, values] : row.domains)
    domains[key] = Strings(values);
  object["domains"] = std::move(domains);
  object["restarts"] = row.restarts;
  object["recreated_pods"] = row.recreated_pods;
  json::array runs;
  for (const Span& span : row.runs)
    runs.push_back(SpanOf(span));
  object["runs"] = std::move(runs);
  json::array placements;
  for (const MemberPlacement& placement : row.placements) {
    json::object item;
    item["member"] = placement.member;
    item["node"] = placement.node;
    item["start_s"] = Seconds(placement.span.from);
    item["end_s"] = OrNull(placement.span.to);
    placements.push_back(std::move(item));
  }
  object["placements"] = std::move(placements);
  return object;
}

json::object TotalsJson(const Totals& totals) {
  json::object object;
  object["groups"] = totals.groups;
  object["finished"] = totals.finished;
  object["failed"] = totals.failed;
  object["running"] = totals.running;
  object["pending"] = totals.pending;
  object["never"] = totals.never;
  object["members"] = totals.members;
  object["restarts"] = totals.restarts;
  object["makespan_s"] = OrNull(totals.makespan);
  object["mean_wait_s"] = OrNull(totals.mean_wait_s);
  object["max_wait_s"] = OrNull(totals.max_wait_s);
  object["mean_submit_to_end_s"] = OrNull(totals.mean_submit_to_end_s);
  return object;
}

json::array UtilisationOf(const RunReport& report) {
  json::array array;
  for (const ResourceUse& use : report.utilisation) {
    json::object item;
    item["resource"] = use.resource;
    item["allocatable"] = use.allocatable;
    item["mean_fraction"] = use.mean_fraction;
    item["peak_fraction"] = use.peak_fraction;
    json::array over_time;
    for (const double fraction : use.over_time)
      over_time.emplace_back(fraction);
    item["over_time"] = std::move(over_time);
    array.push_back(std::move(item));
  }
  return array;
}

json::object ClusterOf(const ClusterSummary& cluster) {
  json::object object;
  object["nodes"] = cluster.nodes;
  json::object domains;
  for (const auto& [key, count] : cluster.domains)
    domains[key] = count;
  object["domains"] = std::move(domains);
  return object;
}

}  // namespace

json::object ToJson(const RunReport& report) {
  json::object object;
  object["schema"] = "cadre.dev/simulate/v1";
  object["start"] = FormatRfc3339(report.start);
  object["end_s"] = Seconds(report.end);
  object["cut"] = report.cut;
  object["api_writes"] = report.api_writes;
  object["cluster"] = ClusterOf(report.cluster);
  json::array groups;
  groups.reserve(report.groups.size());
  for (const GroupRow& row : report.groups)
    groups.push_back(GroupOf(row));
  object["groups"] = std::move(groups);
  object["totals"] = TotalsJson(TotalsOf(report));
  object["utilisation"] = UtilisationOf(report);
  object["violations"] = Strings(report.violations);
  json::array unknown;
  for (const UnknownKind& kind : report.unknown_kinds) {
    json::object item;
    item["api_version"] = kind.api_version;
    item["kind"] = kind.kind;
    item["count"] = kind.count;
    item["first"] = kind.first;
    item["read_instead"] = kind.instead.empty() ? json::value(nullptr) : json::value(kind.instead);
    unknown.push_back(std::move(item));
  }
  object["unknown_kinds"] = std::move(unknown);
  object["problems"] = Strings(report.problems);
  object["notes"] = Strings(report.notes);
  return object;
}

}  // namespace cadre::report

#include "report/printable.h"

#include <initializer_list>
#include <type_traits>
#include <utility>

#include "base/utf8.h"

namespace cadre::report {

namespace {

void Clean(std::string& text) {
  text = Printable(text);
}

// A count, an amount.
template <class Number>
void Clean(Number& /*number*/)
  requires std::is_arithmetic_v<Number>
{}

template <class Item>
void Clean(std::vector<Item>& items);

template <class Value>
void Clean(std::map<std::string, Value>& map) {
  std::map<std::string, Value> clean;
  for (auto& [key, value] : map) {
    Clean(value);
    clean.insert_or_assign(Printable(key), std::move(value));
  }
  map = std::move(clean);
}

void CleanAll(std::initializer_list<std::string*> texts) {
  for (std::string* text : texts)
    Clean(*text);
}

void Clean(MemberPlacement& placement) {
  CleanAll({&placement.member, &placement.node});
}

void Clean(GroupRow& row) {
  CleanAll({&row.namespace_, &row.name, &row.kind, &row.outcome, &row.reason});
  Clean(row.nodes);
  Clean(row.domains);
  Clean(row.placements);
}

void Clean(ResourceUse& use) {
  Clean(use.resource);
}

void Clean(NodeRow& node) {
  Clean(node.name);
  Clean(node.path);
  Clean(node.allocatable);
}

void Clean(DomainClaim& claim) {
  CleanAll({&claim.key, &claim.group});
  Clean(claim.path);
}

void Clean(UnknownKind& unknown) {
  CleanAll({&unknown.api_version, &unknown.kind, &unknown.first, &unknown.instead});
}

template <class Item>
void Clean(std::vector<Item>& items) {
  for (Item& item : items)
    Clean(item);
}

}  // namespace

RunReport PrintableReport(RunReport report) {
  Clean(report.cluster.domains);
  Clean(report.groups);
  Clean(report.utilisation);
  Clean(report.levels);
  Clean(report.nodes);
  Clean(report.shapes);
  Clean(report.background);
  Clean(report.claims);
  Clean(report.violations);
  Clean(report.unknown_kinds);
  Clean(report.problems);
  Clean(report.notes);
  return report;
}

}  // namespace cadre::report

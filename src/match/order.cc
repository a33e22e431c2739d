#include "match/order.h"

#include <algorithm>
#include <functional>

#include "match/fit.h"

namespace cadre::match {
namespace {

class ItemMaker {
 public:
  explicit ItemMaker(const Problem& problem) : problem_(problem), opened_(problem.units.size(), false) {}

  void AddInRoleOrder(const Terms& terms) {
    Open(0);
    for (const std::size_t role : RoleOrder(problem_, terms)) {
      Item together{.classes = {}, .free_order = true};
      for (std::size_t cls = 0; cls < problem_.classes.size(); ++cls) {
        if (problem_.classes[cls].role != role) continue;
        Open(problem_.classes[cls].unit);
        if (terms.HasSpread(role)) {
          together.classes.push_back(cls);
        } else {
          items_.push_back({.classes = {cls}});
        }
      }
      if (!together.classes.empty()) items_.push_back(std::move(together));
    }
  }

  void AddLargestFirst() {
    Open(0);
    AddBlock(0);
  }

  std::vector<Item> Take() { return std::move(items_); }

 private:
  struct Part {
    std::int64_t share;
    std::size_t cls = kNone;   // either a class
    std::size_t unit = kNone;  // or a whole unit with a domain of its own
  };

  void Open(std::size_t unit) {
    if (opened_[unit]) return;
    opened_[unit] = true;
    if (problem_.units[unit].parent != kNone) Open(problem_.units[unit].parent);
    items_.push_back({.unit = unit, .classes = {}});
  }

  std::int64_t ShareOf(std::size_t cls) const { return problem_.shapes[problem_.classes[cls].shape].share; }

  void CollectParts(std::size_t unit, std::vector<Part>& parts) const {
    for (const std::size_t cls : problem_.units[unit].classes)
      parts.push_back({ShareOf(cls), cls, kNone});
    for (const std::size_t child : problem_.units[unit].units) {
      if (problem_.units[child].domains == nullptr) {
        CollectParts(child, parts);
        continue;
      }
      std::int64_t share = 0;
      for (const std::size_t cls : problem_.units[child].all_classes) {
        const auto members = static_cast<std::int64_t>(problem_.classes[cls].members.size());
        share = SaturatingAdd(share, SaturatingMultiply(ShareOf(cls), members));
      }
      if (!problem_.units[child].all_classes.empty()) parts.push_back({share, kNone, child});
    }
  }

  void AddBlock(std::size_t unit) {
    std::vector<Part> parts;
    CollectParts(unit, parts);
    std::ranges::stable_sort(parts, std::greater{}, &Part::share);
    for (const Part& part : parts) {
      if (part.cls != kNone) {
        Open(problem_.classes[part.cls].unit);
        items_.push_back({.classes = {part.cls}});
      } else {
        Open(part.unit);
        AddBlock(part.unit);
      }
    }
  }

  const Problem& problem_;
  std::vector<bool> opened_;
  std::vector<Item> items_;
};

}  // namespace

bool OrderMatters(const Problem& problem, const Terms& terms) {
  const auto matters = [&](std::size_t role) { return terms.HasAffinity(role) || terms.HasSpread(role); };
  return std::ranges::any_of(problem.classes, matters, &ProblemClass::role) ||
         std::ranges::any_of(problem.pre,
                             [&](const PrePlaced& pre) { return pre.hinted && matters(pre.role); });
}

std::vector<std::size_t> RoleOrder(const Problem& problem, const Terms& terms) {
  const std::size_t count = problem.roles.size();
  std::vector<std::size_t> before(count, 0);  // roles that should come before and have not yet
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      if (a != b && terms.Feeds(a, b)) ++before[b];
    }
  }
  std::vector<std::size_t> order;
  std::vector<bool> taken(count, false);
  while (order.size() < count) {
    std::size_t next = kNone;
    for (std::size_t role = 0; role < count; ++role) {
      if (taken[role]) continue;
      if (next == kNone || (before[role] == 0 && before[next] != 0)) next = role;
    }
    taken[next] = true;
    order.push_back(next);
    for (std::size_t b = 0; b < count; ++b) {
      if (b != next && terms.Feeds(next, b)) --before[b];
    }
  }
  return order;
}

std::vector<Item> MakeItems(const Problem& problem, const Terms& terms) {
  ItemMaker maker(problem);
  if (OrderMatters(problem, terms)) {
    maker.AddInRoleOrder(terms);
  } else {
    maker.AddLargestFirst();
  }
  return maker.Take();
}

}  // namespace cadre::match

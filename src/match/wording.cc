#include "match/wording.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "base/text.h"
#include "kube/node.h"

namespace cadre::match {
namespace {

constexpr std::size_t kMostParts = 4;  // of a list, before it says how many more there are

class NeedWriter {
 public:
  NeedWriter(const NodeTable& nodes, const Problem& problem) : nodes_(nodes), problem_(problem) {}

  std::string Unit(std::size_t index) const {
    const ProblemUnit& unit = problem_.units[index];
    const std::vector<std::string> parts = Parts(unit);
    std::string text = ListText(parts);
    const std::int64_t lacks = std::max<std::int64_t>(unit.need - unit.placed, 0);
    if (!unit.all && lacks == 0) {
      text = "none of " + text;
    } else if (!unit.all && lacks != unit.open) {
      text = parts.size() == 1 && unit.units.empty() ? fmt::format("at least {} of {}", lacks, text)
                                                     : fmt::format("at least {} of: {}", lacks, text);
    }
    if (unit.exclusive) {
      text += fmt::format(" in one {} of its own", unit.domains->key);
    } else if (unit.domains != nullptr) {
      text += fmt::format(" in one {}", unit.domains->key);
    }
    return text;
  }

 private:
  std::vector<std::string> Parts(const ProblemUnit& unit) const {
    std::vector<std::string> parts;
    std::vector<std::pair<std::size_t, std::size_t>> members;  // by shape, in order of appearance
    for (const std::size_t cls : unit.classes) {
      const ProblemClass& c = problem_.classes[cls];
      auto same = std::ranges::find(members, c.shape, &std::pair<std::size_t, std::size_t>::first);
      if (same == members.end()) same = members.insert(members.end(), {c.shape, 0});
      same->second += c.members.size();
    }
    for (const auto& [shape, count] : members) {
      parts.push_back(
          fmt::format("{} × ({})", count, AmountsText(nodes_.cluster().shape(problem_.shapes[shape].id))));
    }
    std::vector<std::pair<std::string, std::size_t>> units;
    for (const std::size_t child : unit.units) {
      if (problem_.units[child].all_classes.empty()) continue;
      std::string text = Unit(child);
      if (!units.empty() && units.back().first == text) {
        ++units.back().second;
      } else {
        units.emplace_back(std::move(text), 1);
      }
    }
    for (const auto& [text, count] : units) {
      parts.push_back(count == 1 ? fmt::format("[{}]", text) : fmt::format("{} × [{}]", count, text));
    }
    if (parts.size() == 1 && units.size() == 1 && units[0].second == 1) parts[0] = units[0].first;
    if (parts.size() > kMostParts) {
      const std::size_t more = parts.size() - kMostParts;
      parts.resize(kMostParts);
      parts.push_back(fmt::format("{} more roles", more));
    }
    return parts;
  }

  const NodeTable& nodes_;
  const Problem& problem_;
};

std::string Have(std::size_t count) {
  return count == 1 ? "1 has" : fmt::format("{} have", count);
}
std::string Are(std::size_t count) {
  return count == 1 ? "1 is" : fmt::format("{} are", count);
}
std::string Do(std::size_t count) {
  return count == 1 ? "1 does" : fmt::format("{} do", count);
}

// How many of the nodes that fail the selector lack one of its labels; the others have another value.
std::size_t CountLacking(NodeTable& nodes, const kube::StringMap& selector,
                         const std::vector<Misfit>& misfits) {
  std::size_t lacking = 0;
  for (NodeIndex node = 0; node < misfits.size(); ++node) {
    if (misfits[node] != Misfit::kNodeSelector) continue;
    const kube::StringMap& labels = nodes.node(node).metadata.labels;
    lacking +=
        std::ranges::any_of(selector, [&](const auto& want) { return !labels.contains(want.first); }) ? 1 : 0;
  }
  return lacking;
}

}  // namespace

std::string ListText(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

std::string AmountsText(const model::Shape& shape) {
  std::vector<std::string> parts;
  for (const bool extended : {false, true}) {
    for (const auto& [resource, amount] : shape.request_list) {
      if (amount == 0 || resource == kube::kPods || kube::IsExtended(resource) != extended) continue;
      parts.push_back(kube::FormatAmount(resource, amount));
    }
  }
  return parts.empty() ? "no requests" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string NeedText(const NodeTable& nodes, const Problem& problem) {
  const ProblemUnit& root = problem.units.front();
  std::int64_t placed = static_cast<std::int64_t>(problem.member_count);
  for (const ProblemClass& cls : problem.classes)
    placed -= static_cast<std::int64_t>(cls.members.size());
  std::string text =
      root.all_classes.empty() ? "needs nothing more" : "needs " + NeedWriter(nodes, problem).Unit(0);
  if (placed > 0)
    text += fmt::format(", with {} of {} placed", placed,
                        Quantify(static_cast<std::int64_t>(problem.member_count), "member"));
  return text;
}

std::string SelectorText(const kube::StringMap& selector) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : selector)
    parts.push_back(fmt::format("{}={}", key, value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string_view ShortKey(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  return slash == std::string_view::npos ? key : key.substr(slash + 1);
}

std::string MisfitText(NodeTable& nodes, const model::Shape& shape, const std::vector<Misfit>& misfits) {
  const auto count = [&](Misfit reason) {
    return static_cast<std::size_t>(std::ranges::count(misfits, reason));
  };
  std::vector<std::string> parts;
  if (const std::size_t n = count(Misfit::kOutside)) {
    parts.push_back(
        fmt::format("{} outside the scheduler's nodes ({})", Are(n), SelectorText(shape.scheduler_nodes)));
  }
  if (const std::size_t n = count(Misfit::kNodeSelector)) {
    parts.push_back(fmt::format("{} not match node selector {}", Do(n), SelectorText(shape.node_selector)));
  }
  if (const std::size_t n = count(Misfit::kNodeAffinity)) {
    parts.push_back(fmt::format("{} not match the node affinity", Do(n)));
  }
  if (const std::size_t n = count(Misfit::kVolume)) {
    parts.push_back(fmt::format("{} not reach the pod's volumes", Do(n)));
  }
  std::map<std::string, std::size_t> taints;
  for (NodeIndex node = 0; node < misfits.size(); ++node) {
    if (misfits[node] == Misfit::kTaint) ++taints[kube::ToString(*TaintAgainst(shape, nodes.node(node)))];
  }
  for (const auto& [taint, n] : taints) {
    parts.push_back(fmt::format("{} taint {} which the pod does not tolerate", Have(n), taint));
  }
  if (const std::size_t n = count(Misfit::kCordon)) parts.push_back(fmt::format("{} cordoned", Are(n)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string ClaimedText(std::size_t count, std::string_view first_holder) {
  if (count == 0) return {};
  return fmt::format("{} claimed{} by {}", Are(count), count == 1 ? "" : ", the first", first_holder);
}

std::string OthersText(NodeTable& nodes, const model::Shape& shape, const std::vector<Misfit>& misfits,
                       const std::string& claimed) {
  std::string others = MisfitText(nodes, shape, misfits);
  if (!claimed.empty()) others += (others.empty() ? "" : ", ") + claimed;
  return others.empty() ? "" : fmt::format(" (of the others, {})", others);
}

std::string MayTakeText(std::int64_t may) {
  return may == 1 ? "the node that may take it" : fmt::format("the {} nodes that may take it", may);
}

std::string FitNowText(std::int64_t room, std::int64_t may, std::string_view others,
                       std::string_view scarcest) {
  return fmt::format("{} now on {}{}; {}", room == 1 ? "1 fits" : fmt::format("{} fit", room),
                     MayTakeText(may), others, scarcest);
}

std::string CouldHoldText(std::int64_t may, std::int64_t room, std::string_view ports,
                          std::string_view others) {
  return fmt::format("{} could hold {} when empty{}{}", MayTakeText(may), room, ports, others);
}

std::string NoLabelText(std::string_view key) {
  return fmt::format("no node has the label {}", key);
}

std::optional<TooLarge> FindTooLarge(const Problem& problem, std::size_t shape,
                                     const std::vector<Misfit>& misfits, const FreeOf& free) {
  const ProblemShape& asked = problem.shapes[shape];
  for (const std::size_t r : asked.asks) {
    NodeIndex largest = kNoNode;
    std::int64_t has = 0;
    for (NodeIndex node = 0; node < misfits.size(); ++node) {
      if (misfits[node] != Misfit::kNone) continue;
      const std::int64_t here = free(node, r);
      if (largest != kNoNode && here <= has) continue;
      largest = node;
      has = here;
    }
    CADRE_ASSERT(largest != kNoNode, "no node may take the shape at all");
    if (has < asked.requests[r]) return TooLarge{r, largest, has};
  }
  return std::nullopt;
}

std::string TooLargeText(const NodeTable& nodes, const Problem& problem, std::size_t shape,
                         const TooLarge& too_large) {
  const std::size_t r = too_large.resource;
  const std::string& name = nodes.cluster().resources().Name(problem.resources[r]);
  if (problem.largest[r] == 0) return fmt::format("no node offers {}", name);
  return fmt::format("{} per pod; the largest node, {}, has {}",
                     kube::FormatAmount(name, problem.shapes[shape].requests[r]),
                     nodes.entry(too_large.largest).name, kube::FormatAmount(name, too_large.has));
}

std::string NearestText(const NodeTable& nodes, const Problem& problem, std::size_t shape,
                        const std::vector<Misfit>& misfits, const FreeOf& free) {
  const ProblemShape& asked = problem.shapes[shape];
  NodeIndex nearest = kNoNode;
  std::size_t of = 0;
  double least = 0;
  for (NodeIndex node = 0; node < misfits.size(); ++node) {
    if (misfits[node] != Misfit::kNone) continue;
    double worst = 0;
    std::size_t worst_of = 0;
    for (const std::size_t r : asked.asks) {
      const auto lacks = static_cast<double>(asked.requests[r] - free(node, r));
      const double share = lacks / static_cast<double>(asked.requests[r]);
      if (share <= worst) continue;
      worst = share;
      worst_of = r;
    }
    if (nearest != kNoNode && worst >= least) continue;
    nearest = node;
    least = worst;
    of = worst_of;
  }
  CADRE_ASSERT(nearest != kNoNode, "no node may take the shape at all");
  const std::string& name = nodes.cluster().resources().Name(problem.resources[of]);
  return fmt::format("no node has all of it at once: the nearest, {}, has {} of {}",
                     nodes.entry(nearest).name,
                     kube::FormatAmount(name, std::max<std::int64_t>(0, free(nearest, of))),
                     kube::FormatAmount(name, asked.requests[of]));
}

std::string ScarcestText(const std::vector<Scarcity>& amounts) {
  const Scarcity* scarcest = nullptr;
  const auto covered = [](const Scarcity& s) {
    return static_cast<double>(s.free) / static_cast<double>(s.request);
  };
  for (const Scarcity& amount : amounts) {
    if (scarcest == nullptr || covered(amount) < covered(*scarcest)) scarcest = &amount;
  }
  if (scarcest == nullptr) return {};
  return fmt::format("{} free of {}", kube::FormatAmount(scarcest->resource, scarcest->free),
                     kube::FormatAmount(scarcest->resource, scarcest->total));
}

std::string DomainText(std::string_view which, std::string_view name, std::string_view verb,
                       std::int64_t holds, std::int64_t members, std::string_view when) {
  const std::string of = members > 1 ? fmt::format(" of {}", members) : "";
  return fmt::format("{}, {}, {} {}{}{}", which, name, verb, holds, of, when);
}

std::string NoNodeText(NodeTable& nodes, const model::Shape& shape, const std::vector<Misfit>& misfits) {
  const std::string all = Quantify(static_cast<std::int64_t>(misfits.size()), "node");
  const auto only = [&](Misfit reason) {
    return std::ranges::all_of(misfits, [&](Misfit m) { return m == reason; });
  };
  if (only(Misfit::kNodeSelector)) {
    const std::size_t lacking = CountLacking(nodes, shape.node_selector, misfits);
    const std::string_view label = shape.node_selector.size() == 1 ? "the label" : "one of the labels";
    std::vector<std::string> parts;
    if (lacking > 0) parts.push_back(fmt::format("{} lack{} {}", lacking, lacking == 1 ? "s" : "", label));
    if (lacking < misfits.size())
      parts.push_back(fmt::format("{} another value", Have(misfits.size() - lacking)));
    return fmt::format("no node matches node selector {} ({}: {})", SelectorText(shape.node_selector), all,
                       fmt::join(parts, ", "));
  }
  return fmt::format("no node may take it ({}: {})", all, MisfitText(nodes, shape, misfits));
}

}  // namespace cadre::match

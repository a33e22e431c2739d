#include "match/quick_no.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "match/problem.h"
#include "match/wording.h"

namespace cadre::match {
namespace {

class Writer {
 public:
  Writer(RoomIndex& index, const Problem& problem)
      : index_(index),
        problem_(problem),
        unit_(problem.units.front()),
        shape_(index.cluster().shape(problem.shapes.front().id)),
        members_(static_cast<std::int64_t>(problem.member_count)),
        now_(RoomsIn(View::kNow)) {}

  std::optional<Diagnosis> Write() {
    ShapeRooms& empty = RoomsIn(View::kEmpty);
    if (empty.Clamped() || now_.Clamped() || !FitsIn(empty)) return std::nullopt;
    const std::string need = NeedText(index_.nodes(), problem_);
    if (now_.total() >= members_) {
      return Diagnosis{No::kConstraints, fmt::format("{}; fits without required {}: {}", need,
                                                     unit_.domains->key, BestDomain(""))};
    }
    std::string text =
        FitNowText(now_.total(), static_cast<std::int64_t>(now_.may_take()), Others(), Scarcest());
    if (unit_.domains != nullptr) text += "; " + BestDomain(" now");
    return Diagnosis{No::kNotNow, fmt::format("{}; {}", need, text)};
  }

 private:
  ShapeRooms& RoomsIn(View view) {
    return index_.Rooms(problem_.shapes.front().id, unit_.alone ? Newcomer::kAlone : Newcomer::kGang, view);
  }

  bool FitsIn(ShapeRooms& rooms) const {
    if (unit_.domains == nullptr) return rooms.total() >= members_;
    return std::ranges::any_of(rooms.SumsBy(*unit_.domains),
                               [&](std::int64_t sum) { return sum >= members_; });
  }

  // Why some nodes are out of the question. Only taints and cordons can be the reason here.
  std::string Others() const {
    if (now_.may_take() == index_.size()) return {};
    std::vector<Misfit> misfits(index_.size(), Misfit::kNone);
    for (NodeIndex node = 0; node < index_.size(); ++node) {
      if (!now_.MayTake(node)) misfits[node] = StaticMisfit(shape_, index_.nodes().node(node), Rules{});
    }
    return OthersText(index_.nodes(), shape_, misfits);
  }

  std::string Scarcest() const {
    std::vector<Scarcity> amounts;
    for (const model::ResourceId resource : problem_.resources) {
      const auto request = std::ranges::find(shape_.requests, resource, &model::Amount::resource);
      if (request == shape_.requests.end()) continue;
      const ShapeRooms::Amounts sums = now_.SumAmounts(resource);
      amounts.push_back(
          {index_.cluster().resources().Name(resource), request->amount, sums.free, sums.total});
    }
    return ScarcestText(amounts);
  }

  std::string BestDomain(std::string_view when) {
    const Domains& domains = *unit_.domains;
    const std::vector<std::int64_t>& sums = now_.SumsBy(domains);
    const auto best = std::ranges::max_element(sums) - sums.begin();
    return DomainText(fmt::format("the best {}", ShortKey(domains.key)),
                      index_.nodes().NameOf(domains, static_cast<std::int32_t>(best)), "has room for",
                      std::min(sums[static_cast<std::size_t>(best)], members_), members_, when);
  }

  RoomIndex& index_;
  const Problem& problem_;
  const ProblemUnit& unit_;
  const model::Shape& shape_;
  const std::int64_t members_;
  ShapeRooms& now_;
};

}  // namespace

std::optional<Diagnosis> QuickNo(RoomIndex& index, const Request& request) {
  const model::Cluster& cluster = index.cluster();
  // Where others claim domains, the first question is whether it fits without their claims.
  if (!cluster.domain_claims().empty() || index.size() == 0) return std::nullopt;
  const Problem problem = MakeProblem(index.nodes(), request, Rules{}, View::kNow, Goal::kMinimum, {});
  if (problem.units.size() != 1 || problem.classes.size() != 1 || problem.elastic ||
      problem.units[0].exclusive)
    return std::nullopt;
  const model::Shape& shape = cluster.shape(problem.shapes.front().id);
  const bool any_node =
      shape.node_selector.empty() && !shape.node_affinity && shape.volume_affinities.empty();
  if (!any_node) return std::nullopt;
  return Writer(index, problem).Write();
}

}  // namespace cadre::match

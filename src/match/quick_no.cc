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
    if (empty.Clamped() || now_.Clamped()) return std::nullopt;
    const std::string need = NeedText(index_.nodes(), problem_);
    if (!FitsIn(empty)) return Diagnosis{No::kNever, fmt::format("{}; {}", need, WhyNever(empty))};
    if (now_.total() >= members_) {
      return Diagnosis{No::kConstraints, fmt::format("{}; fits without required {}: {}", need,
                                                     unit_.domains->key, BestNow(""))};
    }
    std::string text =
        FitNowText(now_.total(), static_cast<std::int64_t>(now_.may_take()), Others(), Scarcest());
    if (unit_.domains != nullptr) text += "; " + BestNow(" now");
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

  std::string WhyNever(ShapeRooms& empty) const {
    if (empty.total() >= members_)
      return unit_.domains->size() == 0 ? NoLabelText(unit_.domains->key)
                                        : BestDomain(empty, "the largest", "could hold", " when empty");
    if (empty.may_take() == 0) return NoNodeText(index_.nodes(), shape_, Misfits());
    if (empty.total() == 0) return TooLargeForAll();
    return CouldHoldText(static_cast<std::int64_t>(empty.may_take()), empty.total(), "", Others());
  }

  std::string TooLargeForAll() const {
    const auto free = [this](NodeIndex node, std::size_t r) {
      return index_.FreeOf(node, problem_.resources[r], View::kEmpty);
    };
    const std::vector<Misfit> misfits = Misfits();
    const auto too_large = FindTooLarge(problem_, 0, misfits, free);
    return (too_large ? TooLargeText(index_.nodes(), problem_, 0, *too_large)
                      : NearestText(index_.nodes(), problem_, 0, misfits, free)) +
           OthersText(index_.nodes(), shape_, misfits);
  }

  // By node. Only taints and cordons can be the reason here.
  std::vector<Misfit> Misfits() const {
    std::vector<Misfit> misfits(index_.size(), Misfit::kNone);
    for (NodeIndex node = 0; node < index_.size(); ++node) {
      if (!now_.MayTake(node)) misfits[node] = StaticMisfit(shape_, index_.nodes().node(node), Rules{});
    }
    return misfits;
  }

  // Why some nodes are out of the question.
  std::string Others() const {
    if (now_.may_take() == index_.size()) return {};
    return OthersText(index_.nodes(), shape_, Misfits());
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

  std::string BestNow(std::string_view when) const {
    return BestDomain(now_, "the best", "has room for", when);
  }

  // REQUIRES: there is a domain.
  std::string BestDomain(ShapeRooms& rooms, std::string_view which, std::string_view verb,
                         std::string_view when) const {
    const Domains& domains = *unit_.domains;
    const std::vector<std::int64_t>& sums = rooms.SumsBy(domains);
    const auto best = std::ranges::max_element(sums) - sums.begin();
    return DomainText(fmt::format("{} {}", which, ShortKey(domains.key)),
                      index_.nodes().NameOf(domains, static_cast<std::int32_t>(best)), verb,
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
      problem.units[0].exclusive || problem.units[0].need > problem.units[0].parts)
    return std::nullopt;
  if (cluster.shape(problem.shapes.front().id).ChoosesNodes()) return std::nullopt;
  return Writer(index, problem).Write();
}

}  // namespace cadre::match

#include "report/html_load.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/check.h"

namespace cadre::report {

namespace {

// Amounts by index of resource, so that the inner loops compare no names.
using Row = std::vector<std::int64_t>;

class Loads {
 public:
  Loads(const RunReport& report, std::span<const std::size_t> unit_of_node,
        std::span<const std::size_t> parent, std::size_t slices)
      : report_(report), parent_(parent), slices_(slices), end_ms_(report.end.count()) {
    CADRE_ASSERT(report.end > Duration(0), "a run of no time has no load");
    CADRE_ASSERT(unit_of_node.size() == report.nodes.size(), "one unit per node");
    IndexResources();
    const std::size_t size = parent.size() * resources_.size();
    allocatable_.assign(size, 0);
    requested_ms_.assign(size * slices, 0);
    now_.assign(size, 0);
    loads_.assign(parent.size(), UnitLoad{.mean = 0, .peak = 0, .slices = std::vector<double>(slices)});
    AddNodes(unit_of_node);
  }

  std::vector<UnitLoad> Read() {
    for (const GroupRow& group : report_.groups)
      AddPods(group.placements);
    AddPods(report_.background);
    FindPeaks();
    Divide();
    return std::move(loads_);
  }

 private:
  struct Change {
    std::int64_t at_ms = 0;
    std::int64_t sign = 0;  // pods go before others come
    std::size_t unit = 0;
    std::size_t shape = 0;
    auto operator<=>(const Change&) const = default;
  };

  void IndexResources() {
    std::map<std::string_view, std::size_t> index;
    for (const NodeRow& node : report_.nodes) {
      for (const auto& [resource, amount] : node.allocatable) {
        if (amount > 0 && index.try_emplace(resource, resources_.size()).second)
          resources_.push_back(resource);
      }
    }
    for (const Amounts& shape : report_.shapes) {
      Row row(resources_.size());
      for (const auto& [resource, amount] : shape) {
        const auto found = index.find(resource);
        if (found != index.end()) row[found->second] = amount;
      }
      shapes_.push_back(std::move(row));
    }
  }

  std::size_t Slot(std::size_t unit, std::size_t resource) const {
    return unit * resources_.size() + resource;
  }

  // The unit and everything above it.
  template <class Visit>
  void ForChain(std::size_t unit, const Visit& visit) const {
    for (; unit != kNoUnit; unit = parent_[unit])
      visit(unit);
  }

  void AddNodes(std::span<const std::size_t> unit_of_node) {
    for (std::size_t i = 0; i < report_.nodes.size(); ++i) {
      const NodeRow& node = report_.nodes[i];
      unit_by_name_.emplace(node.name, unit_of_node[i]);
      ForChain(unit_of_node[i], [&](std::size_t unit) {
        for (std::size_t r = 0; r < resources_.size(); ++r) {
          const auto amount = node.allocatable.find(std::string(resources_[r]));
          if (amount != node.allocatable.end()) allocatable_[Slot(unit, r)] += amount->second;
        }
      });
    }
  }

  void AddPods(const std::vector<MemberPlacement>& placements) {
    for (const MemberPlacement& placement : placements) {
      const auto unit = unit_by_name_.find(placement.node);
      if (unit == unit_by_name_.end() || unit->second == kNoUnit || placement.shape >= shapes_.size())
        continue;
      const std::int64_t from = placement.span.from.count();
      const std::int64_t to = std::min(placement.span.to.value_or(report_.end).count(), end_ms_);
      if (from >= to) continue;
      changes_.push_back({from, +1, unit->second, placement.shape});
      changes_.push_back({to, -1, unit->second, placement.shape});
      Spread(unit->second, placement.shape, from, to);
    }
  }

  // Adds amount × time to the slices between. Only to the unit itself: Divide() sums up.
  void Spread(std::size_t unit, std::size_t shape, std::int64_t from, std::int64_t to) {
    const auto count = static_cast<std::int64_t>(slices_);
    for (std::int64_t slice = from * count / end_ms_; slice < count; ++slice) {
      const std::int64_t slice_from = end_ms_ * slice / count;
      const std::int64_t slice_to = end_ms_ * (slice + 1) / count;
      if (slice_from >= to) break;
      const std::int64_t overlap = std::min(to, slice_to) - std::max(from, slice_from);
      if (overlap <= 0) continue;
      for (std::size_t r = 0; r < resources_.size(); ++r)
        requested_ms_[Slot(unit, r) * slices_ + static_cast<std::size_t>(slice)] +=
            static_cast<double>(shapes_[shape][r]) * static_cast<double>(overlap);
    }
  }

  void FindPeaks() {
    std::sort(changes_.begin(), changes_.end());
    for (const Change& change : changes_) {
      ForChain(change.unit, [&](std::size_t unit) {
        for (std::size_t r = 0; r < resources_.size(); ++r) {
          const std::size_t slot = Slot(unit, r);
          now_[slot] += change.sign * shapes_[change.shape][r];
          if (allocatable_[slot] > 0)
            loads_[unit].peak = std::max(
                loads_[unit].peak, static_cast<double>(now_[slot]) / static_cast<double>(allocatable_[slot]));
        }
      });
    }
  }

  void Divide() {
    for (std::size_t unit = parent_.size(); unit-- > 0;) {
      std::vector<double> whole(resources_.size());
      for (std::size_t slice = 0; slice < slices_; ++slice) {
        const auto index = static_cast<std::int64_t>(slice);
        const auto count = static_cast<std::int64_t>(slices_);
        const std::int64_t length = end_ms_ * (index + 1) / count - end_ms_ * index / count;
        for (std::size_t r = 0; r < resources_.size(); ++r) {
          const double requested = requested_ms_[Slot(unit, r) * slices_ + slice];
          whole[r] += requested;
          Raise(loads_[unit].slices[slice], requested, unit, r, length);
          if (parent_[unit] != kNoUnit) requested_ms_[Slot(parent_[unit], r) * slices_ + slice] += requested;
        }
      }
      for (std::size_t r = 0; r < resources_.size(); ++r)
        Raise(loads_[unit].mean, whole[r], unit, r, end_ms_);
    }
  }

  void Raise(double& load, double requested_ms, std::size_t unit, std::size_t resource,
             std::int64_t length_ms) const {
    const std::int64_t offered = allocatable_[Slot(unit, resource)];
    if (offered > 0 && length_ms > 0)
      load = std::max(load, requested_ms / (static_cast<double>(offered) * static_cast<double>(length_ms)));
  }

  const RunReport& report_;
  const std::span<const std::size_t> parent_;
  const std::size_t slices_;
  const std::int64_t end_ms_;
  std::vector<std::string_view> resources_;
  std::vector<Row> shapes_;
  std::unordered_map<std::string_view, std::size_t> unit_by_name_;
  Row allocatable_;                   // by unit and resource
  Row now_;                           // requested at the instant that FindPeaks looks at
  std::vector<double> requested_ms_;  // by unit, resource and slice
  std::vector<Change> changes_;
  std::vector<UnitLoad> loads_;
};

}  // namespace

int LoadLevel(double load) {
  return load <= 0 ? 0 : static_cast<int>(std::clamp(load * 10 + 0.5, 1.0, 10.0));
}

std::vector<UnitLoad> LoadsOf(const RunReport& report, std::span<const std::size_t> unit_of_node,
                              std::span<const std::size_t> parent, std::size_t slices) {
  return Loads(report, unit_of_node, parent, slices).Read();
}

}  // namespace cadre::report

#include "app/csv_columns.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace cadre::app {

namespace {

enum class Measure { kNone, kTime, kMemory, kCount };

struct RoleInfo {
  ColumnRole role{};
  std::string_view name;
  Measure measure{};
  std::array<std::string_view, 8> aliases;  // empty where there are fewer
};

constexpr auto kRoles = std::to_array<RoleInfo>({
    {ColumnRole::kName, "name", Measure::kNone, {"name", "job_name", "job", "job_id", "jobid", "id"}},
    {ColumnRole::kSubmit,
     "submit",
     Measure::kTime,
     {"submit", "submit_time", "submitted", "arrival", "arrival_time"}},
    {ColumnRole::kDuration,
     "duration",
     Measure::kTime,
     {"duration", "run_time", "runtime", "run", "execution_time"}},
    {ColumnRole::kMaxDuration,
     "max_duration",
     Measure::kTime,
     {"max_duration", "requested_time", "time_limit", "timelimit", "walltime"}},
    {ColumnRole::kPods,
     "pods",
     Measure::kCount,
     {"pods", "num_pods", "workers", "worker_num", "num_workers", "replicas", "instances", "inst_num"}},
    {ColumnRole::kGpus, "gpus", Measure::kCount, {"gpus", "num_gpu", "num_gpus", "gpu_num"}},
    {ColumnRole::kGpu, "gpu", Measure::kCount, {"gpu", "gpu_request", "gpus_per_pod", "nvidia.com/gpu"}},
    {ColumnRole::kCpu, "cpu", Measure::kCount, {"cpu", "cpus", "cpu_request", "cpus_per_pod"}},
    {ColumnRole::kMemory, "memory", Measure::kMemory, {"memory", "mem", "memory_request"}},
    {ColumnRole::kRequests, "requests", Measure::kNone, {"requests", "resources"}},
    {ColumnRole::kPriority, "priority", Measure::kCount, {"priority"}},
});

struct Unit {
  Measure measure{};
  std::string_view name;
  double factor = 1;
};

constexpr auto kUnits = std::to_array<Unit>({
    {Measure::kTime, "ms", 1e-3},
    {Measure::kTime, "s", 1},
    {Measure::kTime, "min", 60},
    {Measure::kTime, "h", 3600},
    {Measure::kTime, "d", 86'400},
    {Measure::kMemory, "B", 1},
    {Measure::kMemory, "kB", 1e3},
    {Measure::kMemory, "MB", 1e6},
    {Measure::kMemory, "GB", 1e9},
    {Measure::kMemory, "KiB", 1024},
    {Measure::kMemory, "MiB", 1024.0 * 1024},
    {Measure::kMemory, "GiB", 1024.0 * 1024 * 1024},
    {Measure::kCount, "milli", 1e-3},
    {Measure::kCount, "percent", 1e-2},
});

const RoleInfo& InfoOf(ColumnRole role) {
  return *std::find_if(kRoles.begin(), kRoles.end(), [&](const RoleInfo& info) { return info.role == role; });
}

bool SameName(std::string_view a, std::string_view b) {
  return Lower(a) == Lower(b);
}

// "worker_num, jobs and 7 more": a header may be long.
std::string ListOf(std::span<const std::string> names) {
  constexpr std::size_t kShown = 20;
  std::string text = fmt::format("{}", fmt::join(names.first(std::min(names.size(), kShown)), ", "));
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

std::string RoleList() {
  std::vector<std::string_view> names;
  for (const RoleInfo& info : kRoles)
    names.push_back(info.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string UnitList(Measure measure) {
  std::vector<std::string_view> names;
  for (const Unit& unit : kUnits) {
    if (unit.measure == measure) names.push_back(unit.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// One "submit=arrival:ms" of --trace-columns.
Result<Column> ReadMapping(std::string_view item, const std::vector<std::string>& header) {
  const std::size_t equals = item.find('=');
  const std::string_view role_name = Trim(item.substr(0, equals));
  const auto* const info = std::find_if(kRoles.begin(), kRoles.end(),
                                        [&](const RoleInfo& known) { return known.name == role_name; });
  if (equals == std::string_view::npos || info == kRoles.end())
    return Err(
        "--trace-columns: found \"{}\", expected MEANING=COLUMN or MEANING=COLUMN:UNIT with a meaning of {}",
        item, RoleList());
  const std::string_view target = Trim(item.substr(equals + 1));
  const auto index_of = [&](std::string_view name) {
    return std::find_if(header.begin(), header.end(),
                        [&](const std::string& column) { return SameName(column, name); });
  };
  Column column{.role = info->role, .index = 0, .name = {}, .unit = 1};
  auto found = index_of(target);
  if (const std::size_t colon = target.rfind(':'); found == header.end() && colon != std::string_view::npos) {
    const std::string_view unit_name = target.substr(colon + 1);
    const auto* const unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& known) {
      return known.measure == info->measure && known.name == unit_name;
    });
    if (unit == kUnits.end())
      return Err("--trace-columns: {}: found the unit \"{}\", expected {}", item, unit_name,
                 info->measure == Measure::kNone ? std::string("none for this column")
                                                 : "one of " + UnitList(info->measure));
    column.unit = unit->factor;
    found = index_of(target.substr(0, colon));
  }
  if (found == header.end())
    return Err("--trace-columns: {}: the trace has no such column; it has {}", item, ListOf(header));
  column.index = static_cast<std::size_t>(found - header.begin());
  column.name = *found;
  return column;
}

// What a column is by its name alone.
std::optional<ColumnRole> RoleOf(std::string_view column) {
  for (const RoleInfo& info : kRoles) {
    const bool known = std::any_of(info.aliases.begin(), info.aliases.end(), [&](std::string_view alias) {
      return !alias.empty() && SameName(alias, column);
    });
    if (known) return info.role;
  }
  if (column.find('/') != std::string_view::npos && column.find(' ') == std::string_view::npos)
    return ColumnRole::kResource;
  return std::nullopt;
}

Result<void> CheckNeeded(const ColumnMap& map, const std::vector<std::string>& header) {
  for (const ColumnRole role : {ColumnRole::kSubmit, ColumnRole::kDuration}) {
    if (map.Find(role) != nullptr) continue;
    return Err("the header has no column for {} ({}); it has {}. Name it: --trace-columns {}=COLUMN",
               RoleName(role),
               fmt::join(InfoOf(role).aliases.begin(),
                         std::find(InfoOf(role).aliases.begin(), InfoOf(role).aliases.end(), ""), ", "),
               ListOf(header), RoleName(role));
  }
  return {};
}

}  // namespace

std::string_view RoleName(ColumnRole role) {
  return role == ColumnRole::kResource ? "resource" : InfoOf(role).name;
}

const Column* ColumnMap::Find(ColumnRole role) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& column) { return column.role == role; });
  return found == columns.end() ? nullptr : &*found;
}

Result<ColumnMap> FindColumns(const std::vector<std::string>& header, std::string_view mapping) {
  ColumnMap map;
  std::set<std::size_t> taken;
  for (const std::string_view item : Split(mapping, ',')) {
    if (Trim(item).empty()) continue;
    CADRE_TRY(Column column, ReadMapping(Trim(item), header));
    if (map.Find(column.role) != nullptr)
      return Err("--trace-columns: {} is given twice", RoleName(column.role));
    taken.insert(column.index);
    map.columns.push_back(std::move(column));
  }
  std::set<ColumnRole> mapped;
  for (const Column& column : map.columns)
    mapped.insert(column.role);
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (taken.contains(i)) continue;
    const std::optional<ColumnRole> role = RoleOf(header[i]);
    if (!role || mapped.contains(*role)) {
      map.unused.push_back(header[i]);
      continue;
    }
    // A column "id" beside "job_name" is no contradiction: the first is the name.
    const Column* other = *role == ColumnRole::kResource ? nullptr : map.Find(*role);
    if (other != nullptr && *role == ColumnRole::kName) {
      map.unused.push_back(header[i]);
    } else if (other != nullptr) {
      return Err("columns {} and {} both look like {}; choose one: --trace-columns {}=COLUMN", other->name,
                 header[i], RoleName(*role), RoleName(*role));
    } else {
      map.columns.push_back({.role = *role, .index = i, .name = header[i], .unit = 1});
    }
  }
  CADRE_TRY_VOID(CheckNeeded(map, header));
  std::sort(map.columns.begin(), map.columns.end(),
            [](const Column& a, const Column& b) { return a.index < b.index; });
  return map;
}

}  // namespace cadre::app

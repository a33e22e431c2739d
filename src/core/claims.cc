#include "core/claims.h"

#include <algorithm>

#include "base/json.h"
#include "core/plan.h"

namespace cadre::core {
namespace {

bool IsOver(const model::OwnerObject& owner) {
  return owner.suspended || owner.finished || owner.deleting;
}

// Parts are made fit for a label key as they are for the mark of the start.
std::string SuffixOf(std::string_view part) {
  return part.empty() ? std::string{} : StartedAnnotationOf(part).substr(kStartedAnnotation.size());
}

std::vector<ClaimEntry> WrittenOn(const kube::StringMap& annotations, const model::GroupKey& key) {
  const auto found = annotations.find(ClaimsAnnotationOf(key.part));
  if (found == annotations.end()) return {};
  return DecodeClaims(found->second).value_or(std::vector<ClaimEntry>{});
}

const model::TopologyAsk* AskOf(const model::GroupSpec& spec, std::string_view unit) {
  if (unit.empty()) return &spec.topology;
  const model::UnitSpec* found = model::FindUnit(spec, unit);
  return found == nullptr ? nullptr : &found->topology;
}

// Is it kept from others? Otherwise stages only find each other by it.
bool IsExclusive(const model::GroupSpec& spec, const ClaimEntry& entry) {
  const model::TopologyAsk* ask = AskOf(spec, entry.unit);
  return ask == nullptr || ask->exclusive == entry.key;
}

bool IsAskedFor(const model::GroupSpec& spec, const ClaimEntry& entry) {
  const model::TopologyAsk* ask = AskOf(spec, entry.unit);
  if (ask == nullptr) return false;
  return ask->exclusive == entry.key || (entry.unit.empty() && ask->required == entry.key);
}

// The Job that is this unit has succeeded: a failed one may be restarted, and comes back to its domain.
bool IsComplete(const groups::Catalog& catalog, const model::GroupSpec& spec, const std::string& unit) {
  const std::vector<const kube::Job*> jobs = catalog.JobsOf(spec.record->uid);
  return std::ranges::any_of(jobs, [&](const kube::Job* job) {
    return job->metadata.name == unit && kube::FindTrue(job->status.conditions, "Complete") != nullptr;
  });
}

std::optional<ClaimEntry> DecodeEntry(const json::value& value) {
  ClaimEntry entry{.unit = std::string(FindString(value, {"unit"})),
                   .key = std::string(FindString(value, {"key"})),
                   .path = {}};
  const json::value* path = Find(value, {"path"});
  if (entry.key.empty() || path == nullptr || !path->is_array()) return std::nullopt;
  for (const json::value& step : path->get_array()) {
    if (!step.is_string()) return std::nullopt;
    entry.path.emplace_back(step.get_string());
  }
  return entry;
}

}  // namespace

std::string ClaimsAnnotationOf(std::string_view part) {
  return std::string(kClaimsAnnotation) + SuffixOf(part);
}

std::string IdleAnnotationOf(std::string_view part) {
  return std::string(kIdleAnnotation) + SuffixOf(part);
}

std::string EncodeClaims(const std::vector<ClaimEntry>& entries, std::uint64_t epoch) {
  json::array claims;
  for (const ClaimEntry& entry : entries) {
    claims.push_back(json::object{{"unit", entry.unit},
                                  {"key", entry.key},
                                  {"path", json::array(entry.path.begin(), entry.path.end())}});
  }
  return json::serialize(json::object{{"v", 1}, {"epoch", epoch}, {"claims", std::move(claims)}});
}

std::optional<std::vector<ClaimEntry>> DecodeClaims(std::string_view text) {
  boost::system::error_code error;
  const json::value root = json::parse(text, error);
  const json::value* version = error ? nullptr : Find(root, {"v"});
  const json::value* claims = error ? nullptr : Find(root, {"claims"});
  if (version == nullptr || *version != 1 || claims == nullptr || !claims->is_array()) return std::nullopt;
  std::vector<ClaimEntry> entries;
  for (const json::value& claim : claims->get_array()) {
    auto entry = DecodeEntry(claim);
    if (!entry) return std::nullopt;
    entries.push_back(*std::move(entry));
  }
  std::ranges::sort(entries);
  return entries;
}

model::Claim ClaimOf(const model::GroupSpec& spec, const ClaimEntry& entry) {
  const model::TopologyAsk* ask = AskOf(spec, entry.unit);
  return {.holder = {model::TenantGroupOf(spec.key), entry.unit},
          .key = entry.key,
          .path = entry.path,
          .scope = ask == nullptr ? model::ExclusiveScope::kGroups : ask->scope,
          .text = model::ToString(spec.key)};
}

void Claims::Drop(const model::GroupKey& key, model::Cluster& cluster) {
  const auto found = records_.find(key);
  if (found == records_.end()) return;
  for (const ClaimEntry& entry : found->second.entries)
    cluster.DropClaim({model::TenantGroupOf(key), entry.unit});
  records_.erase(found);
}

void Claims::Put(const model::GroupSpec& spec, const std::vector<ClaimEntry>& entries,
                 model::Cluster& cluster) {
  Record& record = records_[spec.key];
  record.owner = *spec.record;
  for (const ClaimEntry& old : record.entries) {
    const auto same = [&](const ClaimEntry& entry) {
      return entry.unit == old.unit && IsExclusive(spec, entry);
    };
    if (std::ranges::none_of(entries, same)) cluster.DropClaim({model::TenantGroupOf(spec.key), old.unit});
  }
  for (const ClaimEntry& entry : entries) {
    if (IsExclusive(spec, entry)) cluster.SetClaim(ClaimOf(spec, entry));
  }
  record.entries = entries;
}

// What counts as written: what was sent last, else what was acknowledged and cannot be seen yet.
const std::vector<ClaimEntry>& Claims::Latest(Record& record, const std::vector<ClaimEntry>& written) {
  if (record.acknowledged && written != record.seen_before) record.acknowledged.reset();
  if (!record.sent.empty()) return record.sent.rbegin()->second;
  return record.acknowledged ? *record.acknowledged : written;
}

void Claims::Fold(const model::GroupKey& part, const groups::Catalog& catalog, model::Cluster& cluster) {
  const model::GroupKey key = model::WholeOf(part);
  const kube::ObjectMeta* record = catalog.FindRecord(key);
  const auto known = records_.find(key);
  const bool is_written = record != nullptr && record->annotations.contains(ClaimsAnnotationOf(key.part));
  if (!is_written && known == records_.end()) {
    stale_.erase(key);
    return;
  }
  const model::GroupSpec spec = catalog.Describe(key, {});
  if (!spec.record || spec.record->deleting) {  // what goes needs no tidying
    Drop(key, cluster);
    stale_.erase(key);
    return;
  }
  std::vector<ClaimEntry> written = WrittenOn(spec.record->annotations, key);
  if (known != records_.end()) written = std::vector<ClaimEntry>(Latest(known->second, written));
  std::vector<ClaimEntry> holds;
  if (!IsOver(*spec.record)) {
    std::ranges::copy_if(written, std::back_inserter(holds), [&](const ClaimEntry& entry) {
      return IsAskedFor(spec, entry) && !IsComplete(catalog, spec, entry.unit);
    });
  }
  if (is_written && (holds != written || holds.empty())) {
    stale_.insert_or_assign(key, Stale{key, *spec.record, holds});
  } else {
    stale_.erase(key);
  }
  if (holds.empty()) {
    Drop(key, cluster);
  } else {
    Put(spec, holds, cluster);
  }
}

void Claims::Assume(const model::GroupKey& part, drive::EffectId id, std::vector<ClaimEntry> entries,
                    const groups::Catalog& catalog, model::Cluster& cluster) {
  const model::GroupKey key = model::WholeOf(part);
  Put(catalog.Describe(key, {}), entries, cluster);
  records_[key].sent.insert_or_assign(id, std::move(entries));
  stale_.erase(key);
}

void Claims::Answer(const model::GroupKey& part, drive::EffectId id, bool done,
                    const groups::Catalog& catalog, model::Cluster& cluster) {
  const model::GroupKey key = model::WholeOf(part);
  const auto found = records_.find(key);
  if (found == records_.end()) return;
  Record& record = found->second;
  const auto sent = record.sent.find(id);
  if (sent == record.sent.end()) return;
  const kube::ObjectMeta* owner = catalog.FindRecord(key);
  const std::vector<ClaimEntry> written =
      owner == nullptr ? std::vector<ClaimEntry>{} : WrittenOn(owner->annotations, key);
  if (done && written != sent->second) {
    record.acknowledged = std::move(sent->second);
    record.seen_before = written;
  }
  record.sent.erase(sent);
  Fold(key, catalog, cluster);
}

std::vector<ClaimEntry> Claims::Of(const model::GroupKey& part) const {
  const auto found = records_.find(model::WholeOf(part));
  return found == records_.end() ? std::vector<ClaimEntry>{} : found->second.entries;
}

std::vector<Claims::Stale> Claims::TakeStale() {
  std::vector<Stale> stale;
  for (auto& [key, one] : stale_)
    stale.push_back(std::move(one));
  stale_.clear();
  return stale;
}

std::vector<Claims::Holder> Claims::Holders() const {
  std::vector<Holder> holders;
  for (const auto& [key, record] : records_)
    holders.push_back({key, record.owner});
  return holders;
}

void Claims::Expire(const model::GroupKey& key, model::Cluster& cluster) {
  const auto found = records_.find(key);
  if (found == records_.end()) return;
  stale_.insert_or_assign(key, Stale{key, found->second.owner, {}});
  Drop(key, cluster);
}

}  // namespace cadre::core

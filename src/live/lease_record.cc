#include "live/lease_record.h"

namespace cadre::live {
namespace {

constexpr std::int64_t kMostSeconds = 86'400;

Result<std::int64_t> Whole(const json::value& lease, std::string_view field) {
  const json::value* value = Find(lease, {"spec", field});
  if (value == nullptr || value->is_null()) return 0;
  if (!value->is_int64() || value->get_int64() < 0)
    return Err("Lease: spec.{}: found {}, expected a whole number that is not negative", field,
               json::serialize(*value));
  return value->get_int64();
}

}  // namespace

Result<Lease> ReadLease(std::string_view body) {
  boost::system::error_code error;
  const json::value value = json::parse(body, error);
  if (error || !value.is_object()) return Err("Lease: not a JSON object");
  Lease lease;
  lease.resource_version = FindString(value, {"metadata", "resourceVersion"});
  if (lease.resource_version.empty()) return Err("Lease: metadata.resourceVersion: missing");
  lease.record.holder = FindString(value, {"spec", "holderIdentity"});
  lease.record.acquire_time = FindString(value, {"spec", "acquireTime"});
  lease.record.renew_time = FindString(value, {"spec", "renewTime"});
  CADRE_TRY(const std::int64_t seconds, Whole(value, "leaseDurationSeconds"));
  lease.record.duration = std::chrono::seconds(std::min(seconds, kMostSeconds));
  CADRE_TRY(const std::int64_t transitions, Whole(value, "leaseTransitions"));
  lease.record.transitions = static_cast<std::uint64_t>(transitions);
  return lease;
}

std::string LeaseBody(std::string_view namespace_, std::string_view name, const Lease& lease) {
  json::object metadata = {{"name", name}, {"namespace", namespace_}};
  if (!lease.resource_version.empty()) metadata["resourceVersion"] = lease.resource_version;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(lease.record.duration).count();
  return json::serialize(json::object{{"apiVersion", "coordination.k8s.io/v1"},
                                      {"kind", "Lease"},
                                      {"metadata", std::move(metadata)},
                                      {"spec",
                                       {{"holderIdentity", lease.record.holder},
                                        {"leaseDurationSeconds", seconds},
                                        {"acquireTime", lease.record.acquire_time},
                                        {"renewTime", lease.record.renew_time},
                                        {"leaseTransitions", lease.record.transitions}}}});
}

LeaseRecord Held(const LeaseRecord& before, std::string_view identity, Duration duration, Time now) {
  LeaseRecord held = before;
  held.duration = duration;
  held.renew_time = FormatRfc3339Micros(now);
  if (before.holder != identity || before.acquire_time.empty()) {
    held.acquire_time = held.renew_time;
    // The first holder of all is no transition.
    if (before.holder != identity && !before.renew_time.empty()) ++held.transitions;
  }
  held.holder = identity;
  return held;
}

}  // namespace cadre::live

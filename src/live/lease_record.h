// LeaseRecord: who leads and since when, as it stands in the spec of a coordination.k8s.io/v1 Lease. Pure
// functions.
//
// Source: https://kubernetes.io/docs/concepts/architecture/leases/ and the rules of client-go's leader
// election, which every Kubernetes component follows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/time.h"

namespace cadre::live {

struct LeaseRecord {
  std::string holder;  // empty: nobody, it was let go
  Duration duration{0};
  // As the API server keeps them; nobody compares them with his own clock.
  std::string acquire_time;
  std::string renew_time;
  std::uint64_t transitions = 0;

  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

struct Lease {
  LeaseRecord record;
  std::string resource_version;
};

// Of the body of an answer. An error names the field.
Result<Lease> ReadLease(std::string_view body);

// Empty version: of a lease that is to be created.
std::string LeaseBody(std::string_view namespace_, std::string_view name, const Lease& lease);

// What to write to hold the lease from `now` on: a new holder starts anew and counts one transition more.
LeaseRecord Held(const LeaseRecord& before, std::string_view identity, Duration duration, Time now);

}  // namespace cadre::live

// metav1.Status: what the API server answers instead of an object, above all when something went wrong.
// Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "base/result.h"

namespace cadre::kube {

struct StatusCause {
  std::string reason;  // "FieldValueInvalid"
  std::string message;
  std::string field;  // "spec.containers[0].name"
};

struct Status {
  std::string status;                    // "Success" or "Failure"
  std::string reason;                    // "Conflict", "Expired": for programs
  std::string message;                   // for people
  std::int32_t code = 0;                 // as in HTTP; 410: list again
  std::string name;                      // details: of the object, if one is meant
  std::string group;                     // details
  std::string kind;                      // details
  std::string uid;                       // details
  std::int32_t retry_after_seconds = 0;  // details; 0: the server did not say
  std::vector<StatusCause> causes;       // details
};

// A Status that came as JSON. A field of a wrong type is an error that names it.
Result<Status> DecodeStatus(const boost::json::value& value);

}  // namespace cadre::kube

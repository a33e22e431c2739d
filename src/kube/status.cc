#include "kube/status.h"

#include <optional>

#include "kube/decode_reader.h"

namespace cadre::kube {
namespace {

void ReadDetails(const Reader& details, Status& out) {
  details.Read("name", out.name);
  details.Read("group", out.group);
  details.Read("kind", out.kind);
  details.Read("uid", out.uid);
  details.Read("retryAfterSeconds", out.retry_after_seconds);
  details.ReadList("causes", out.causes, [](const Reader& cause, StatusCause& to) {
    cause.Read("reason", to.reason);
    cause.Read("message", to.message);
    cause.Read("field", to.field);
  });
}

}  // namespace

Result<Status> DecodeStatus(const boost::json::value& value) {
  if (!value.is_object()) return Err("Status: not an object (a map of fields)");
  std::optional<FieldError> error;
  const Reader root(value.get_object(), error);
  Status status;
  std::string kind;
  root.Read("kind", kind);
  root.Read("status", status.status);
  root.Read("reason", status.reason);
  root.Read("message", status.message);
  root.Read("code", status.code);
  root.ReadObject("details", [&](const Reader& details) { ReadDetails(details, status); });
  if (error) return Err("Status: {}: {}", ToString(error->path), error->message);
  if (kind != "Status") return Err("found kind \"{}\", expected Status", kind);
  return status;
}

}  // namespace cadre::kube

// One look at one JobSet: from what is in the API to what shall be written. A pure function; everything it
// needs is in the objects, so a new process comes to the same result.
//
// Order, the first that applies ends the pass where it says so:
//   being deleted, or managed by somebody else: nothing at all
//   finished: the Jobs that still run go; the JobSet goes when its time to live is over. End
//   Jobs of an earlier attempt go, in the foreground: their pods are gone before their names are free
//   a failed Job: failure policy. End
//   a succeeded Job: success policy. End when it holds
//   Service; missing Jobs, as far as the startup policy lets them; suspend or resume
//   the status, in one write, if anything of it changed
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jobset/failure_policy.h"
#include "jobset/status.h"

namespace cadre::jobset {

struct View {
  const kube::Object& jobset;
  std::span<const kube::Object> jobs;  // those that it controls
  Time now;
  bool service_exists = false;  // some Service of the name Subdomain()
  // The UID of the Job of this name in the JobSet's namespace, whoever owns it; empty: there is none.
  std::function<std::string(const std::string& name)> uid_of_job;
};

struct JobChange {
  kube::Object job;
  bool clear_start_time = false;
  json::object patch;
};

struct Plan {
  std::vector<kube::Object> delete_jobs;  // foreground
  std::optional<json::object> create_service;
  std::vector<json::object> create_jobs;
  std::vector<JobChange> change_jobs;
  bool delete_jobset = false;  // foreground
  std::optional<json::object> status_patch;
  std::vector<Remark> remarks;             // once the status is written
  std::vector<std::string> blocked_names;  // wanted names that Jobs of others hold
  std::optional<Time> again;               // look again then
  std::optional<std::string> trouble;      // nothing could be decided, and why
};

Plan Reconcile(const View& view);

}  // namespace cadre::jobset

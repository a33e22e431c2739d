#include "sim/job_expectations.h"

#include <utility>

namespace cadre::sim {
namespace {

void Erase(std::set<std::string, std::less<>>& names, std::string_view name) {
  if (const auto found = names.find(name); found != names.end()) {
    names.erase(found);
  }
}

}  // namespace

void JobExpectations::ExpectPod(std::string name, Time now) {
  pods_.insert(std::move(name));
  Begin(now);
}

void JobExpectations::ExpectDeletion(std::string uid, Time now) {
  deletions_.insert(std::move(uid));
  Begin(now);
}

void JobExpectations::ExpectRelease(std::string uid, Time now) {
  released_.insert(uid);
  releases_.insert(std::move(uid));
  Begin(now);
}

void JobExpectations::ExpectJob(std::uint64_t resource_version, Time now) {
  job_version_ = std::max(job_version_, resource_version);
  Begin(now);
}

void JobExpectations::SawPod(std::string_view name, std::string_view uid, bool deleting, bool has_finalizer) {
  Erase(pods_, name);
  if (deleting) {
    Erase(deletions_, uid);
  }
  if (!has_finalizer) {
    Erase(releases_, uid);
    Erase(released_, uid);
  }
  EndIfFulfilled();
}

void JobExpectations::SawPodGone(std::string_view uid) {
  Erase(deletions_, uid);
  Erase(releases_, uid);
  Erase(released_, uid);
  EndIfFulfilled();
}

void JobExpectations::SawJob(std::uint64_t resource_version) {
  if (resource_version >= job_version_) {
    job_version_ = 0;
  }
  EndIfFulfilled();
}

void JobExpectations::SawName(std::string_view name) {
  Erase(pods_, name);
  EndIfFulfilled();
}

bool JobExpectations::Fulfilled() const {
  return pods_.empty() && deletions_.empty() && releases_.empty() && job_version_ == 0;
}

void JobExpectations::GiveUp() {
  pods_.clear();
  deletions_.clear();
  releases_.clear();
  job_version_ = 0;
  since_.reset();
}

void JobExpectations::Begin(Time now) {
  if (!since_) {
    since_ = now;
  }
}

void JobExpectations::EndIfFulfilled() {
  if (Fulfilled()) {
    since_.reset();
  }
}

}  // namespace cadre::sim

#include "live/served_versions.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "live/rest.h"

namespace cadre::live {
namespace {

constexpr std::array kOptional = {kube::Kind::kJobSet, kube::Kind::kPodGroup,
                                  kube::Kind::kSchedulerPluginsPodGroup, kube::Kind::kLeaderWorkerSet};
constexpr int kNotFound = 404;
constexpr int kOk = 200;
constexpr Duration kTimeout{10'000};
constexpr std::size_t kMostBytes = std::size_t{4} << 20U;

bool ServesPlural(std::string_view body, std::string_view plural) {
  boost::system::error_code error;
  const json::value list = json::parse(body, error);
  const json::value* resources = error ? nullptr : Find(list, {"resources"});
  if (resources == nullptr || !resources->is_array()) return false;
  return std::ranges::any_of(resources->get_array(),
                             [&](const json::value& one) { return FindString(one, {"name"}) == plural; });
}

}  // namespace

struct ServedVersions::Search {
  kube::Kind kind{};
  std::vector<std::string_view> versions;  // still to be tried, the one to be tried next at the end
  std::function<void(Result<std::string>)> done;
};

void ServedVersions::Find(kube::Kind kind, std::function<void(Result<std::string>)> done) {
  const kube::KindInfo& info = kube::Info(kind);
  if (std::ranges::find(kOptional, kind) == kOptional.end()) {
    loop_.Post([version = std::string(info.version), done = std::move(done), alive = std::weak_ptr(alive_)] {
      if (!alive.expired()) done(version);
    });
    return;
  }
  auto search = std::make_shared<Search>(Search{kind, {}, std::move(done)});
  search->versions.assign(info.also_read.rbegin(), info.also_read.rend());
  search->versions.push_back(info.version);
  Try(search);
}

void ServedVersions::Try(const std::shared_ptr<Search>& search) {
  const kube::KindInfo& info = kube::Info(search->kind);
  const std::string_view version = search->versions.back();
  search->versions.pop_back();
  net::Request request;
  request.path = fmt::format("/apis/{}/{}", info.group, version);
  request.headers = {{"accept", "application/json"}};
  request.timeout = kTimeout;
  request.max_body_bytes = kMostBytes;
  client_.Send(std::move(request),
               [this, search, &info, version, alive = std::weak_ptr(alive_)](net::RequestEnd end) {
                 if (alive.expired()) return;
                 if (!end) return search->done(Err("versions of {}: {}", info.plural, end.error().message));
                 if (end->status != kOk && end->status != kNotFound)
                   return search->done(Err("versions of {}: {}", info.plural, Words(end->status, end->body)));
                 const bool serves = end->status == kOk && ServesPlural(end->body, info.plural);
                 if (!serves && !search->versions.empty()) return Try(search);
                 const std::string found(serves ? version : std::string_view{});
                 found_[search->kind] = found;
                 search->done(found);
               });
}

std::string_view ServedVersions::Of(kube::Kind kind) const {
  const auto found = found_.find(kind);
  return found == found_.end() ? kube::Info(kind).version : std::string_view(found->second);
}

}  // namespace cadre::live

#include "bench/gang/api_client.h"

#include <chrono>
#include <utility>

#include "kube/pod.h"
#include "live/kubeconfig.h"

namespace cadre::bench {
namespace {

constexpr Duration kSendsWithin = std::chrono::minutes(10);
constexpr Duration kListsWithin = std::chrono::minutes(1);

}  // namespace

Result<std::unique_ptr<ApiClient>> ApiClient::Open(const std::string& kubeconfig) {
  std::unique_ptr<ApiClient> client(new ApiClient);
  live::KubeconfigOptions options;
  options.kubeconfig = kubeconfig;
  CADRE_TRY(live::ClusterAccess access, live::LoadClusterAccess(options));
  CADRE_TRY(client->server_, live::ApiServer::Open(client->loop_, client->clock_, std::move(access),
                                                   {.user_agent = "cadre-bench", .seed = 1}));
  client->api_ = std::make_unique<live::HttpApi>(client->loop_, client->clock_, client->server_->lanes(),
                                                 live::HttpApiOptions{});
  // Which version of PodGroup is served is found out by a list.
  bool asked = false;
  client->api_->List(kube::Kind::kPodGroup, [&](const Result<drive::ListResult>&) { asked = true; });
  if (!client->Run(kListsWithin, [&] { return asked; })) return Err("{}: no answer", client->server_->Text());
  return client;
}

void ApiClient::Start(std::vector<drive::Effect> effects, std::size_t in_flight) {
  effects_ = std::move(effects);
  next_ = 0;
  bound_ = in_flight;
  Pump();
}

Result<void> ApiClient::Send(std::vector<drive::Effect> effects, std::size_t in_flight) {
  Start(std::move(effects), in_flight);
  if (!Run(kSendsWithin, [this] { return !IsSending() || !problem_.empty(); }))
    return Err("writes do not end within {}", FormatDuration(kSendsWithin));
  if (!problem_.empty()) return Err("{}", problem_);
  return {};
}

void ApiClient::Pump() {
  while (next_ < effects_.size() && in_flight_ < bound_) {
    ++in_flight_;
    api_->Write("bench", effects_[next_], [this, index = next_](const drive::WriteResult& result) {
      --in_flight_;
      if (result.outcome != drive::Outcome::kDone && problem_.empty())
        problem_ = drive::ToString(effects_[index]) + ": " + result.message;
      Pump();
    });
    ++next_;
  }
}

void ApiClient::WatchPods(std::function<void(const kube::Object& pod)> on_bound) {
  on_bound_ = std::move(on_bound);
  api_->List(kube::Kind::kPod, [this](const Result<drive::ListResult>& list) {
    if (!list) {
      problem_ = list.error().message;
      return;
    }
    Watch(list->resource_version);
  });
  Run(kListsWithin, [this] { return watching_ || !problem_.empty(); });
}

void ApiClient::Watch(std::uint64_t from) {
  watching_ = true;
  seen_ = from;
  watch_ = api_->Watch(kube::Kind::kPod, from, [this](const drive::WatchEvent& event) {
    if (const auto* change = std::get_if<drive::WatchChange>(&event); change != nullptr) {
      seen_ = change->object.Meta().resource_version;
      if (!change->object.As<kube::Pod>().spec.node_name.empty()) on_bound_(change->object);
      return;
    }
    // The API server ends watches under load: go on from where it was.
    if (std::holds_alternative<drive::WatchEnd>(event)) loop_.Post([this] { Watch(seen_); });
  });
}

bool ApiClient::Run(Duration at_most, const std::function<bool()>& done) {
  const Duration until = loop_.Now() + at_most;
  while (!done()) {
    if (loop_.Now() >= until) return false;
    loop_.RunOne(Duration{100});
  }
  return true;
}

double ApiClient::Seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace cadre::bench

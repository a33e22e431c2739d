// ApiClient: what the benchmark itself does to the API server: writes with a bound on what is in flight, and
// a watch of pods that tells when each got its node.
//
// Thread rule: one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "drive/effect.h"
#include "live/api_server.h"
#include "live/http_api.h"
#include "live/loop_clock.h"
#include "net/event_loop.h"

namespace cadre::bench {

class ApiClient {
 public:
  static Result<std::unique_ptr<ApiClient>> Open(const std::string& kubeconfig);

  // Sends all of them in order, at most `in_flight` at once, and waits for the answers. An error names the
  // first that was refused.
  Result<void> Send(std::vector<drive::Effect> effects, std::size_t in_flight);
  // The same, without waiting: Run goes on until they are done. REQUIRES: no other Send is under way.
  void Start(std::vector<drive::Effect> effects, std::size_t in_flight);
  bool IsSending() const { return next_ < effects_.size() || in_flight_ > 0; }

  // Calls `on_bound` for each pod that gets a node from now on, once the first list has come.
  void WatchPods(std::function<void(const kube::Object& pod)> on_bound);

  // Runs the loop until `done` or `at_most` has gone by; false: it has.
  bool Run(Duration at_most, const std::function<bool()>& done);
  double Seconds() const;
  const std::string& problem() const { return problem_; }

 private:
  ApiClient() = default;
  void Pump();
  void Watch(std::uint64_t from);

  net::EventLoop loop_;
  live::LoopClock clock_{loop_};
  std::unique_ptr<live::ApiServer> server_;
  std::unique_ptr<live::HttpApi> api_;
  std::vector<drive::Effect> effects_;
  std::size_t next_ = 0;
  std::size_t bound_ = 0;
  std::size_t in_flight_ = 0;
  std::string problem_;
  std::function<void(const kube::Object&)> on_bound_;
  std::unique_ptr<drive::WatchHandle> watch_;
  bool watching_ = false;
  std::uint64_t seen_ = 0;
};

}  // namespace cadre::bench

// LiveProcess: an event loop with the connections to a real API server, for a program that runs machines
// against it until SIGINT or SIGTERM. Thread rule: one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "drive/driver.h"
#include "live/api_server.h"
#include "live/http_api.h"
#include "live/loop_clock.h"
#include "net/event_loop.h"

namespace cadre::app {

struct LiveProcessOptions {
  std::string kubeconfig;  // empty: as kubectl finds it, or the service account of the pod
  std::string context;     // empty: the current one
  std::string agent;       // "cadre-scheduler", as requests name it
  bool protobuf = true;    // false where a machine looks at whole objects
};

class LiveProcess {
 public:
  // Less than the time that the kubelet gives a pod to end in.
  static constexpr Duration kMostFinish{5'000};

  // An error: no way to the cluster, as a sentence.
  static Result<std::unique_ptr<LiveProcess>> Open(const LiveProcessOptions& options);

  net::EventLoop& loop() { return loop_; }
  live::LoopClock& clock() { return clock_; }
  live::ApiServer& server() { return *server_; }

  // Runs the machine, which is borrowed, from now on. REQUIRES: none runs.
  void Start(drive::Machine& machine, const drive::Limits& limits = {});
  // The machine decides nothing more; `done` is called once what has left is answered, after kMostFinish at
  // the latest. At most once.
  void Finish(std::function<void()> done);
  // Sends nothing more and tells the machine nothing more; requests that have left still land.
  void Stop() { driver_.reset(); }
  // Null when no machine runs.
  const drive::Driver* driver() const { return driver_.get(); }

  // What a signal does instead of ending Run.
  void OnStop(std::function<void()> stop) { on_stop_ = std::move(stop); }
  // Until a signal comes, or End is called from a callback.
  void Run() { loop_.Run(); }
  void End() { loop_.Stop(); }

 private:
  LiveProcess() = default;
  void LogWrites();

  net::EventLoop loop_;
  live::LoopClock clock_{loop_};
  std::unique_ptr<live::ApiServer> server_;
  std::unique_ptr<live::HttpApi> api_;
  std::unique_ptr<drive::Driver> driver_;
  std::function<void()> on_stop_;
};

}  // namespace cadre::app

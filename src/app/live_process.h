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
  // An error: no way to the cluster, as a sentence.
  static Result<std::unique_ptr<LiveProcess>> Open(const LiveProcessOptions& options);

  net::EventLoop& loop() { return loop_; }
  live::LoopClock& clock() { return clock_; }
  live::ApiServer& server() { return *server_; }

  // Runs the machine, which is borrowed, from now on. REQUIRES: called once.
  void Start(drive::Machine& machine);
  // Until a signal comes, or Stop is called from a callback.
  void Run() { loop_.Run(); }

 private:
  LiveProcess() = default;

  net::EventLoop loop_;
  live::LoopClock clock_{loop_};
  std::unique_ptr<live::ApiServer> server_;
  std::unique_ptr<live::HttpApi> api_;
  std::unique_ptr<drive::Driver> driver_;
};

}  // namespace cadre::app

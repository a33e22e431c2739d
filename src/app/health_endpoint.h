// What a Kubernetes component answers at /healthz, /livez, /readyz and /metrics. Pure: from a request and the
// state of the checks to an answer.
//
// Source: https://kubernetes.io/docs/reference/using-api/health-checks/ (the lines of ?verbose).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "net/http_server.h"

namespace cadre::app {

struct HealthCheck {
  std::string_view name;
  std::string problem;  // empty: it passes
};

struct HealthState {
  std::span<const HealthCheck> live;   // /healthz and /livez: failing means that a restart may help
  std::span<const HealthCheck> ready;  // /readyz: and whether it does its work yet
  std::function<std::string()> metrics;
};

net::ServerResponse AnswerHealth(const net::ServerRequest& request, const HealthState& state);

}  // namespace cadre::app

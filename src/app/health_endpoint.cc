#include "app/health_endpoint.h"

#include <algorithm>

#include <fmt/format.h>

namespace cadre::app {
namespace {

constexpr int kOk = 200;
constexpr int kNotFound = 404;
constexpr int kNotAllowed = 405;
constexpr int kFailing = 500;

net::ServerResponse Plain(int status, std::string body) {
  return {.status = status,
          .headers = {{"content-type", "text/plain; charset=utf-8"}, {"x-content-type-options", "nosniff"}},
          .body = std::move(body)};
}

net::ServerResponse Judge(std::string_view name, std::span<const HealthCheck> checks, bool verbose) {
  const bool passes =
      std::ranges::all_of(checks, [](const HealthCheck& check) { return check.problem.empty(); });
  if (passes && !verbose) return Plain(kOk, "ok");
  std::string body;
  for (const HealthCheck& check : checks)
    body += check.problem.empty() ? fmt::format("[+]{} ok\n", check.name)
                                  : fmt::format("[-]{} failed: {}\n", check.name, check.problem);
  body += fmt::format("{} check {}\n", name, passes ? "passed" : "failed");
  return Plain(passes ? kOk : kFailing, std::move(body));
}

}  // namespace

net::ServerResponse AnswerHealth(const net::ServerRequest& request, const HealthState& state) {
  if (request.method != "GET" && request.method != "HEAD")
    return Plain(kNotAllowed, "only GET is served here\n");
  const std::string_view target = request.target;
  const std::string_view path = target.substr(0, target.find('?'));
  const std::string_view query = target.substr(std::min(target.size(), path.size() + 1));
  const bool verbose = query == "verbose" || query.starts_with("verbose=") || query.starts_with("verbose&") ||
                       query.contains("&verbose");
  if (path == "/healthz" || path == "/livez") return Judge(path.substr(1), state.live, verbose);
  if (path == "/readyz") return Judge(path.substr(1), state.ready, verbose);
  if (path == "/metrics") {
    net::ServerResponse answer = Plain(kOk, state.metrics());
    answer.headers.front().value = "text/plain; version=0.0.4; charset=utf-8";
    return answer;
  }
  return Plain(kNotFound, "not found: /healthz, /livez, /readyz and /metrics are served here\n");
}

}  // namespace cadre::app

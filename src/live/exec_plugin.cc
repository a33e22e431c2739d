#include "live/exec_plugin.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/system/error_code.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "base/utf8.h"
#include "kube/decode_reader.h"
#include "live/subprocess.h"

namespace cadre::live {
namespace {

constexpr std::size_t kMostErrorShown = 500;
constexpr std::string_view kKind = "ExecCredential";

struct ExecAnswer {
  Credential credential;
  std::string api_version;
  std::string kind;
};

void ReadExecAnswer(const kube::Reader& root, ExecAnswer& out) {
  root.Read("apiVersion", out.api_version);
  root.Read("kind", out.kind);
  root.ReadObject("status", [&](const kube::Reader& status) {
    status.Read("token", out.credential.bearer_token);
    status.Read("clientCertificateData", out.credential.client_certificate_pem);
    status.Read("clientKeyData", out.credential.client_key_pem);
    status.Read("expirationTimestamp", out.credential.expires);
  });
}

// Standard error as one line of a message; ": " before it.
std::string Shown(std::string_view errors) {
  const std::string_view text = Trim(errors);
  if (text.empty()) return {};
  return ": " + Printable(text.substr(0, kMostErrorShown)) + (text.size() > kMostErrorShown ? "..." : "");
}

// What shells answer for a program that is not there; plugins that start others pass it on.
bool MeansNotFound(int exit_code) {
  return exit_code == 126 || exit_code == 127;
}

Error Failure(const ExecPlugin& plugin, bool not_found, std::string_view what) {
  std::string message = fmt::format("exec plugin {} {}", plugin.command, what);
  if (not_found && !plugin.install_hint.empty()) message += "\n" + plugin.install_hint;
  return Error{std::move(message)};
}

}  // namespace

std::string ExecInfo(const ExecPlugin& plugin) {
  json::object spec;
  if (!plugin.cluster_info.empty()) spec["cluster"] = json::parse(plugin.cluster_info);
  spec["interactive"] = false;
  return json::serialize(
      json::object{{"kind", kKind}, {"apiVersion", plugin.api_version}, {"spec", std::move(spec)}});
}

Result<Credential> ParseExecCredential(const ExecPlugin& plugin, std::string_view output) {
  const auto wrong = [&](std::string_view what) {
    return std::unexpected(Failure(plugin, false, fmt::format("printed no usable {}: {}", kKind, what)));
  };
  boost::system::error_code failed;
  const json::value root = json::parse(output, failed);
  if (failed) return wrong(fmt::format("not JSON ({})", failed.message()));
  if (!root.is_object()) return wrong("not an object");
  ExecAnswer answer;
  std::optional<kube::FieldError> error;
  ReadExecAnswer(kube::Reader(root.get_object(), error), answer);
  // Only the name of the field: what was found there may be a secret.
  if (error) return wrong(fmt::format("{}: of the wrong type or form", kube::ToString(error->path)));
  if (answer.kind != kKind || answer.api_version != plugin.api_version) {
    return wrong(fmt::format("found kind \"{}\" of apiVersion \"{}\", asked for {} of {}", answer.kind,
                             answer.api_version, kKind, plugin.api_version));
  }
  Credential& credential = answer.credential;
  if (credential.client_certificate_pem.empty() != credential.client_key_pem.empty())
    return wrong("status has one of clientCertificateData and clientKeyData; it takes both");
  if (credential.bearer_token.empty() && credential.client_certificate_pem.empty())
    return wrong("status has neither token nor clientCertificateData");
  if (!IsBearerToken(credential.bearer_token)) return wrong("status.token: " + std::string(kNotABearerToken));
  return std::move(credential);
}

Result<Credential> RunExecPlugin(const ExecPlugin& plugin, std::chrono::milliseconds longest_run,
                                 const std::stop_token& stop) {
  Program program{.command = plugin.command, .args = plugin.args, .env = plugin.env};
  program.env.emplace_back("KUBERNETES_EXEC_INFO", ExecInfo(plugin));
  program.longest_run = longest_run;
  const std::expected<ProgramEnd, ProgramError> end = RunProgram(program, stop);
  if (!end) return std::unexpected(Failure(plugin, end.error().not_found, end.error().message));
  if (end->exit_code != 0) {
    return std::unexpected(
        Failure(plugin, MeansNotFound(end->exit_code),
                fmt::format("failed with exit code {}{}", end->exit_code, Shown(end->errors))));
  }
  if (!Trim(end->errors).empty())
    CADRE_LOG(kInfo, "exec plugin {} says{}", plugin.command, Shown(end->errors));
  return ParseExecCredential(plugin, end->output);
}

}  // namespace cadre::live

// The protocol of exec plugins: what a plugin is told, and what it prints.
// Source: https://kubernetes.io/docs/reference/config-api/client-authentication.v1/ (v1beta1 is the same).
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>

#include "live/credentials.h"

namespace cadre::live {

inline constexpr std::chrono::milliseconds kLongestPluginRun{60'000};

// The value of KUBERNETES_EXEC_INFO: an ExecCredential without status. spec.interactive is always false.
std::string ExecInfo(const ExecPlugin& plugin);

// The ExecCredential that a plugin printed. Refused: another apiVersion than `plugin` asks for, a status
// without token and certificate, a certificate without key. The message never repeats a secret.
Result<Credential> ParseExecCredential(const ExecPlugin& plugin, std::string_view output);

// Runs the plugin and reads what it prints; blocks for up to `longest_run`. Errors name the command, say what
// it wrote to standard error, and carry its installHint where it is not installed.
Result<Credential> RunExecPlugin(const ExecPlugin& plugin, std::chrono::milliseconds longest_run,
                                 const std::stop_token& stop);

}  // namespace cadre::live

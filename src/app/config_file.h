// The configuration file of a long-running command, as Kubernetes' components have one: YAML or JSON with
// apiVersion and kind, each field the value of one flag. What is given as a flag wins over the file.
//
// Source: https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/ (the names of fields).
// Thread rule: pure, but for `command`, whose options it sets.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace cadre::app {

// "leaderElection.leaseDuration" is "--leader-elect-lease-duration".
struct ConfigField {
  std::string_view path;
  std::string_view flag;
};

struct ConfigFormat {
  std::string_view api_version;
  std::string_view kind;
  std::span<const ConfigField> fields;
};

// A file larger than this is no configuration.
inline constexpr std::size_t kMostConfigBytes = 1'048'576;

// Sets the options of `command` that were not given on the command line. A list gives a flag that may be
// repeated each of its texts; a map of texts is "key=value,…". Errors name the field: a field that is not
// known is one, with the nearest that is.
// REQUIRES: `command` has every flag of `format`, and has been parsed.
Result<void> ApplyConfig(std::string_view text, const ConfigFormat& format, CLI::App& command);

}  // namespace cadre::app

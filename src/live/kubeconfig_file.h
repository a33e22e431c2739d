// One kubeconfig file as it is on disk, and an entry of one of its lists: what kubeconfig.cc merges.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/result.h"
#include "kube/decode_reader.h"

namespace cadre::live {

struct KubeconfigFile {
  std::string path;
  std::string folder;  // of `path`: what relative paths in it are relative to
  boost::json::value root;
};

// The file, which must hold one YAML or JSON document of kind Config, or nothing at all.
Result<KubeconfigFile> ReadKubeconfigFile(const std::string& path);

// The three lists of named entries.
struct EntryKind {
  std::string_view list;   // "clusters"
  std::string_view field;  // "cluster": where an entry keeps what it says
};
inline constexpr EntryKind kClusters = {.list = "clusters", .field = "cluster"};
inline constexpr EntryKind kUsers = {.list = "users", .field = "user"};
inline constexpr EntryKind kContexts = {.list = "contexts", .field = "context"};

// Points into the files, which must outlive it.
struct KubeconfigEntry {
  const KubeconfigFile* file = nullptr;
  EntryKind kind;
  std::string name;
  const boost::json::object* object = nullptr;  // what `field` holds

  // "/home/me/.kube/config: cluster \"dev\": FIELD: MESSAGE"
  Error Wrong(std::string_view field, std::string_view message) const;

  // fields(const kube::Reader&) reads the entry; the first field of a wrong type is the error.
  template <class Fields>
  std::expected<void, Error> Read(const Fields& fields) const {
    std::optional<kube::FieldError> error;
    fields(kube::Reader(*object, error));
    if (error) return std::unexpected(Wrong(kube::ToString(error->path), error->message));
    return {};
  }

  // A path in the entry, which is relative to its file; empty stays empty.
  std::string Resolve(const std::string& path) const;
};

// The entry of the first file that has one of this name. An error where there is none, naming those there
// are.
Result<KubeconfigEntry> FindEntry(const std::vector<KubeconfigFile>& files, EntryKind kind,
                                  std::string_view name);

// The first current-context that is not empty; or empty.
Result<std::string> CurrentContext(const std::vector<KubeconfigFile>& files);

// "a, b and c", for messages.
std::string PathsOf(const std::vector<KubeconfigFile>& files);

}  // namespace cadre::live

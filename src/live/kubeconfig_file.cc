#include "live/kubeconfig_file.h"

#include <filesystem>

#include <boost/json/array.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/text.h"
#include "kube/yaml.h"
#include "live/file.h"

namespace cadre::live {
namespace {

constexpr std::size_t kLargestKubeconfigBytes = std::size_t{4} << 20U;
constexpr std::size_t kMostNamesShown = 8;

Result<json::value> ParseOneDocument(const std::string& path, std::string_view text) {
  json::value root = json::object();
  bool found = false;
  for (const kube::YamlChunk& chunk : kube::SplitYaml(text)) {
    auto document = kube::ParseYaml(chunk);
    if (!document) return Err("{}: line {}: {}", path, document.error().line, document.error().message);
    if (!*document) continue;
    if (found) return Err("{}: more than one document; a kubeconfig is one", path);
    found = true;
    root = std::move((*document)->value);
  }
  if (!root.is_object()) return Err("{}: not a kubeconfig: expected a map of fields", path);
  return root;
}

// Nothing where the file has no such list.
Result<const json::array*> ListOf(const KubeconfigFile& file, std::string_view list) {
  const json::value* found = file.root.get_object().if_contains(list);
  if (found == nullptr || found->is_null()) return nullptr;
  if (!found->is_array()) return Err("{}: {}: expected a list", file.path, list);
  return found->if_array();
}

// The names in the order of the list, one per entry.
Result<std::vector<std::string>> NamesOf(const KubeconfigFile& file, std::string_view list) {
  std::vector<std::string> names;
  CADRE_TRY(const json::array* entries, ListOf(file, list));
  if (entries == nullptr) return names;
  for (const json::value& entry : *entries) {
    const std::string_view name = entry.is_object() ? FindString(entry, {"name"}) : std::string_view();
    if (name.empty()) return Err("{}: {}[{}]: has no name", file.path, list, names.size());
    names.emplace_back(name);
  }
  return names;
}

Result<std::optional<std::size_t>> IndexOf(const KubeconfigFile& file, EntryKind kind,
                                           const std::vector<std::string>& names, std::string_view name) {
  std::optional<std::size_t> index;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != name) continue;
    if (index) {
      return Err("{}: {}[{}] and {}[{}] are both named \"{}\"; remove one", file.path, kind.list, *index,
                 kind.list, i, name);
    }
    index = i;
  }
  return index;
}

}  // namespace

Result<KubeconfigFile> ReadKubeconfigFile(const std::string& path) {
  CADRE_TRY(const std::string text, ReadSmallFile(path, kLargestKubeconfigBytes));
  CADRE_TRY(json::value root, ParseOneDocument(path, text));
  const std::string_view kind = FindString(root, {"kind"});
  const std::string_view version = FindString(root, {"apiVersion"});
  if ((!kind.empty() && kind != "Config") || (!version.empty() && version != "v1")) {
    return Err("{}: not a kubeconfig: found kind \"{}\" of apiVersion \"{}\", expected Config of v1", path,
               kind, version);
  }
  const std::string folder = std::filesystem::absolute(path).parent_path().string();
  return KubeconfigFile{.path = path, .folder = folder, .root = std::move(root)};
}

Error KubeconfigEntry::Wrong(std::string_view field, std::string_view message) const {
  return Error{fmt::format("{}: {} \"{}\": {}: {}", file->path, kind.field, name, field, message)};
}

std::string KubeconfigEntry::Resolve(const std::string& path) const {
  if (path.empty()) return path;
  return (std::filesystem::path(file->folder) / path).lexically_normal().string();
}

Result<KubeconfigEntry> FindEntry(const std::vector<KubeconfigFile>& files, EntryKind kind,
                                  std::string_view name) {
  std::vector<std::string> known;
  for (const KubeconfigFile& file : files) {
    CADRE_TRY(std::vector<std::string> names, NamesOf(file, kind.list));
    CADRE_TRY(const std::optional<std::size_t> index, IndexOf(file, kind, names, name));
    known.insert(known.end(), names.begin(), names.end());
    if (!index) continue;
    const json::object& entry = file.root.at(kind.list).at(*index).get_object();
    const json::value* inner = entry.if_contains(kind.field);
    if (inner == nullptr || !inner->is_object())
      return Err("{}: {}[{}] (\"{}\"): {}: expected an object (a map of fields)", file.path, kind.list,
                 *index, name, kind.field);
    return KubeconfigEntry{
        .file = &file, .kind = kind, .name = std::string(name), .object = inner->if_object()};
  }
  return Err("{}: no {} is named \"{}\"; there {}", PathsOf(files), kind.field, name,
             known.empty() ? "are none" : "are " + FirstAndMore(known, kMostNamesShown));
}

Result<std::string> CurrentContext(const std::vector<KubeconfigFile>& files) {
  for (const KubeconfigFile& file : files) {
    std::optional<kube::FieldError> error;
    std::string name;
    kube::Reader(file.root.get_object(), error).Read("current-context", name);
    if (error) return Err("{}: current-context: {}", file.path, error->message);
    if (!name.empty()) return name;
  }
  return std::string();
}

std::string PathsOf(const std::vector<KubeconfigFile>& files) {
  std::vector<std::string_view> paths;
  for (const KubeconfigFile& file : files)
    paths.push_back(file.path);
  return fmt::format("{}", fmt::join(paths, ", "));
}

}  // namespace cadre::live

// Files that people have -> objects: YAML or JSON, many documents, Kubernetes Lists, gzip.
//
// Nothing is dropped silently: every document becomes an object, an unknown kind (counted and named), or a
// problem with file, document, line and field path.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/object.h"

namespace cadre::kube {

struct Source {
  std::string file;          // as the user named it; "-" for standard input
  std::size_t document = 1;  // 1-based, within the file
  std::size_t line = 1;  // 1-based, where the object starts; 0 when the format does not tell (a JSON dump)
};

struct LoadedObject {
  Object object;
  Source source;
};

// A well-formed object of a kind that Cadre does not know.
struct UnknownObject {
  std::string api_version;
  std::string kind;
  std::string name;
  Source source;
};

// Input that is not an object: broken YAML, a template with placeholders, a wrong type somewhere.
struct Problem {
  Source source;
  std::string field;    // "spec.replicatedJobs[0].replicas"; empty when it is about the document
  std::string message;  // what was found and what was expected
};

struct Manifests {
  std::vector<LoadedObject> objects;  // in the order read
  std::vector<UnknownObject> unknown;
  std::vector<Problem> problems;
};

// "jobs.yaml: document 2, line 14: spec.parallelism: ...".
std::string ToString(const Problem& problem);

// Appends what `text` holds. `text` may be gzip (recognised by its magic), YAML or JSON. JSON is recognised
// by its first character and parsed by the fast parser. Duplicate YAML keys are a problem; `<<` merge keys
// are applied. Text that is not UTF-8 is a problem and nothing of it is used. Bounds: text up to 1 GiB
// unpacked, nesting up to 64 levels; what exceeds them is a problem.
void LoadText(std::string_view text, std::string file, Manifests& out);

// A file, a folder (all *.yaml, *.yml, *.json, *.gz in it, sorted, recursively) or "-" (standard input).
// A path that cannot be read is a problem too.
void LoadPath(const std::filesystem::path& path, Manifests& out);

}  // namespace cadre::kube

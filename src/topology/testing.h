// For tests: clusters in a few words, and the shared data.
#pragma once

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kube/meta.h"
#include "kube/resources.h"
#include "topology/tree.h"

namespace cadre::topology {

// Owns what the views point to.
class TestNodes {
 public:
  TestNodes& Add(std::string name, kube::StringMap labels, kube::ResourceList allocatable = {}) {
    kept_->push_back({std::move(name), std::move(labels), std::move(allocatable)});
    const Kept& kept = kept_->back();
    views_.push_back({kept.name, &kept.labels, &kept.allocatable});
    return *this;
  }
  // prefix0 … prefix(count-1), all with these labels.
  TestNodes& AddMany(const std::string& prefix, int count, const kube::StringMap& labels) {
    for (int i = 0; i < count; ++i)
      Add(prefix + std::to_string(i), labels);
    return *this;
  }
  const std::vector<NodeView>& views() const { return views_; }
  std::vector<NodeView>& views() { return views_; }

 private:
  struct Kept {
    std::string name;
    kube::StringMap labels;
    kube::ResourceList allocatable;
  };
  // Shared by copies, whose views point into it.
  std::shared_ptr<std::deque<Kept>> kept_ = std::make_shared<std::deque<Kept>>();
  std::vector<NodeView> views_;
};

inline std::filesystem::path DataFolder() {
  const char* folder = std::getenv("CADRE_DATA");
  return folder != nullptr ? std::filesystem::path(folder)
                           : std::filesystem::path(CADRE_SOURCE_DIR) / "../shared/data";
}

inline std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The folder under the data, or the test ends here and says why.
#define TOPOLOGY_DATA_OR_SKIP(variable, name)                   \
  const std::filesystem::path variable = DataFolder() / (name); \
  if (!std::filesystem::exists(variable))                       \
  GTEST_SKIP() << variable << " is not there: set CADRE_DATA to the folder of the shared data"

}  // namespace cadre::topology

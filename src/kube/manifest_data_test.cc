// Every file of the shared data that people wrote by hand or captured, read in place.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kube/manifest.h"
#include "kube/node.h"
#include "kube/validate.h"

namespace cadre::kube {
namespace {

namespace fs = std::filesystem;

fs::path DataFolder() {
  const char* folder = std::getenv("CADRE_DATA");
  return folder != nullptr ? fs::path(folder) : fs::path(CADRE_SOURCE_DIR) / "../shared/data";
}

// The folder under the data, or nothing (after saying why).
#define DATA_OR_SKIP(variable, name)               \
  const fs::path variable = DataFolder() / (name); \
  if (!fs::exists(variable))                       \
  GTEST_SKIP() << variable << " is not there: set CADRE_DATA to the folder of the shared data"

std::vector<fs::path> FilesBelow(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

class Folders : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Data, Folders, testing::Values("jobset", "trainjob-runtime", "gang", "cluster"),
                         [](const auto& row) {
                           std::string name = row.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(Folders, EveryFileIsObjectsUnknownKindsOrProblems) {
  DATA_OR_SKIP(folder, GetParam());
  std::map<std::string, int> counts;
  for (const fs::path& file : FilesBelow(folder)) {
    Manifests manifests;
    LoadPath(file, manifests);
    EXPECT_FALSE(manifests.objects.empty() && manifests.unknown.empty() && manifests.problems.empty())
        << file << " was dropped silently";
    ++counts["files"];
    for (const LoadedObject& loaded : manifests.objects)
      ++counts[std::string(Info(loaded.object.kind).name)];
    counts["unknown kinds"] += static_cast<int>(manifests.unknown.size());
    counts["problems"] += static_cast<int>(manifests.problems.size());
  }
  for (const auto& [what, count] : counts)
    std::cout << fmt::format("  {:>5} {}\n", count, what);
}

TEST_P(Folders, EveryProblemNamesItsFileAndSaysWhatToDo) {
  DATA_OR_SKIP(folder, GetParam());
  for (const fs::path& file : FilesBelow(folder)) {
    Manifests manifests;
    LoadPath(file, manifests);
    for (const Problem& problem : manifests.problems) {
      EXPECT_EQ(problem.source.file, file.string());
      EXPECT_GT(problem.message.size(), 10U) << ToString(problem);
    }
    for (const UnknownObject& unknown : manifests.unknown) {
      EXPECT_FALSE(unknown.kind.empty() || unknown.api_version.empty()) << file;
    }
  }
}

TEST_P(Folders, WhatIsComplainedOfIsASentence) {
  DATA_OR_SKIP(folder, GetParam());
  for (const fs::path& file : FilesBelow(folder)) {
    Manifests manifests;
    LoadPath(file, manifests);
    for (const LoadedObject& loaded : manifests.objects) {
      for (const std::string& complaint : Validate(loaded.object)) {
        EXPECT_TRUE(complaint.starts_with(Describe(loaded.object) + ": ")) << complaint;
      }
    }
  }
}

// Counted independently of Cadre, with Python's json and gzip.
struct Cluster {
  std::string name;
  std::string file;
  std::size_t nodes;
  std::map<std::int64_t, int> nodes_by_gpus;
  std::int64_t cpu_milli;  // of most of its nodes
};

class Clusters : public testing::TestWithParam<Cluster> {};

constexpr std::string_view kStudy = "converged-computing+performance-study/experiments__";
constexpr std::string_view kGoogle = "converged-computing+google-performance-study/experiments__";

INSTANTIATE_TEST_SUITE_P(
    Data, Clusters,
    testing::Values(
        Cluster{"GkeCpu128",
                fmt::format("{}gke__cpu__size-128__nodes__nodes-128.json.gz", kGoogle),
                128,
                {{0, 128}},
                87820},
        Cluster{"GkeCpu32",
                fmt::format("{}gke__cpu__size-32__nodes__nodes-32.json.gz", kGoogle),
                32,
                {{0, 32}},
                87820},
        Cluster{"GkeGpu32",
                fmt::format("{}gke__gpu__size-32__nodes__nodes-32.json.gz", kGoogle),
                32,
                {{1, 32}},
                1930},
        Cluster{"EksGpu16", fmt::format("{}aws__eks__gpu__nodes-16.json", kStudy), 16, {{8, 16}}, 95690},
        Cluster{"AksGpu32",
                fmt::format("{}azure__aks__gpu__size32__metadata__broken-nodes.json.gz", kStudy),
                34,
                {{0, 1}, {7, 1}, {8, 32}},
                39500},
        Cluster{"GkeBig32",
                fmt::format("{}google__gke__gpu__size32__metadata__nodes-32.json.gz", kStudy),
                32,
                {{0, 27}, {8, 5}},
                15890}),
    [](const auto& row) { return row.param.name; });

TEST_P(Clusters, LoadWholeWithTheResourcesOfTheirNodes) {
  DATA_OR_SKIP(file, "cluster/" + GetParam().file);
  Manifests manifests;
  LoadPath(file, manifests);
  EXPECT_TRUE(manifests.problems.empty() && manifests.unknown.empty());
  EXPECT_EQ(manifests.objects.size(), GetParam().nodes);
  std::map<std::int64_t, int> nodes_by_gpus;
  std::map<std::int64_t, int> nodes_by_cpu;
  for (const LoadedObject& loaded : manifests.objects) {
    const ResourceList& allocatable = loaded.object.As<Node>().status.allocatable;
    const auto gpus = allocatable.find("nvidia.com/gpu");
    ++nodes_by_gpus[gpus == allocatable.end() ? 0 : gpus->second];
    ++nodes_by_cpu[allocatable.at(std::string(kCpu))];
  }
  EXPECT_EQ(nodes_by_gpus, GetParam().nodes_by_gpus);
  EXPECT_GT(nodes_by_cpu[GetParam().cpu_milli], static_cast<int>(GetParam().nodes) * 9 / 10);
}

}  // namespace
}  // namespace cadre::kube

// Every Slurm, EC2 and Topograph file of the shared data, read in place; and that no bytes at all make an
// importer fall over.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topology/import.h"
#include "topology/levels.h"
#include "topology/testing.h"

namespace cadre::topology {
namespace {

namespace fs = std::filesystem;

// What becomes of one file: loaded with so many hosts and levels, or refused because of …
struct Outcome {
  const char* file;  // below the data
  const char* format;
  std::size_t hosts = 0;
  std::vector<std::size_t> domains{};  // different values of each level, coarse to fine
  const char* refused = nullptr;       // how the reason begins
};

constexpr const char* kRequest = "this is a request to Topograph (provider ";
constexpr const char* kHelm = "these are Helm values for Topograph";

// The counts are those that the files themselves show: rows, ranges and names in them.
const std::vector<Outcome>& Outcomes() {
  static const std::vector<Outcome> kOutcomes = {
      {"sOmEoNe2lOvEgIt+slurm_conf/topology.conf", "slurm", 4, {1}},
      {"sOmEoNe2lOvEgIt+slurm_conf/slurm.conf", "slurm", 0, {}, "line 6: ClusterName belongs to slurm.conf"},
      {"NVIDIA+topograph/tests__ci__expected.slinky-dra-block.conf", "topograph", 96, {3, 6, 12}},
      {"NVIDIA+topograph/tests__models__nvl72.yaml", "topograph", 72, {1, 1, 1, 2, 4, 4}},
      {"NVIDIA+topograph/tests__output__netq__computeNodes.json", "topograph", 2, {1}},
      {"NVIDIA+topograph/tests__output__ibnetdiscover__example.out", "topograph", 121, {8}},
      {"NVIDIA+topograph/tests__ci__values.k8s-aws-sim.yaml", "topograph", 0, {}, kHelm},
      {"NVIDIA+topograph/tests__ci__values.k8s-gcp-sim.yaml", "topograph", 0, {}, kHelm},
      {"NVIDIA+topograph/tests__ci__values.k8s-test.yaml", "topograph", 0, {}, kHelm},
      {"NVIDIA+topograph/tests__ci__values.slinky-dra-block.yaml", "topograph", 0, {}, kHelm},
      {"NVIDIA+topograph/tests__ci__values.slinky-oci-sim-tree.yaml", "topograph", 0, {}, kHelm},
      {"NVIDIA+topograph/tests__configs__topograph-local-config.yaml",
       "topograph",
       0,
       {},
       "this is Topograph's own configuration"},
      {"NVIDIA+topograph/tests__integration__payload-error-500-after-retries.json",
       "topograph",
       0,
       {},
       "this is a request to Topograph whose answer is the error \"failed to populate NVL domains\""},
      {"NVIDIA+topograph/tests__integration__payload-request-id-not-found.json",
       "topograph",
       0,
       {},
       "this is a request to Topograph whose answer is the error \"request ID 12345 not found\""},
      {"NVIDIA+topograph/tests__payloads__aws-sim-block.json", "topograph", 0, {}, kRequest},
      {"NVIDIA+topograph/tests__payloads__aws-sim-tree.json", "topograph", 0, {}, kRequest},
      {"NVIDIA+topograph/tests__payloads__dsx-sim-block.json", "topograph", 0, {}, kRequest},
      {"NVIDIA+topograph/tests__payloads__example-netq.json", "topograph", 0, {}, kRequest},
      {"NVIDIA+topograph/tests__payloads__gcp-sim-block.json", "topograph", 0, {}, kRequest},
      {"NVIDIA+topograph/tests__payloads__gcp-sim-tree.json", "topograph", 0, {}, kRequest},
      {"NVIDIA+topograph/tests__payloads__oci-sim-large-block.json", "topograph", 0, {}, kRequest},
      {"NVIDIA+topograph/tests__payloads__test-block.json", "topograph", 0, {}, kRequest},
      {"NVIDIA+topograph/tests__payloads__test-tree.json", "topograph", 0, {}, kRequest},
      {"NVIDIA+topograph/tests__payloads__toposim-block.json", "topograph", 0, {}, kRequest},
      {"NVIDIA+topograph/tests__payloads__toposim-tree.json", "topograph", 0, {}, kRequest},
  };
  return kOutcomes;
}

std::vector<std::size_t> DomainsOf(const Imported& imported) {
  std::vector<std::size_t> counts;
  for (const std::string& key : imported.keys) {
    std::set<std::string> values;
    for (const auto& [host, labels] : imported.labels) {
      if (labels.contains(key)) values.insert(labels.at(key));
    }
    counts.push_back(values.size());
  }
  return counts;
}

void Check(const Outcome& outcome, const fs::path& file) {
  const Result<Imported> imported = ImportText({outcome.format, outcome.file}, ReadAll(file));
  if (outcome.refused != nullptr) {
    ASSERT_FALSE(imported) << "loaded: " << imported->what;
    EXPECT_THAT(imported.error().message, ::testing::StartsWith(outcome.refused));
    return;
  }
  ASSERT_TRUE(imported) << imported.error().message;
  EXPECT_EQ(imported->labels.size(), outcome.hosts);
  EXPECT_EQ(DomainsOf(*imported), outcome.domains);
}

TEST(TopologyGraphData, EveryFileLoadsOrSaysWhyItIsNoTopology) {
  TOPOLOGY_DATA_OR_SKIP(folder, "topology-graph");
  for (const Outcome& outcome : Outcomes()) {
    SCOPED_TRACE(outcome.file);
    Check(outcome, folder / outcome.file);
  }
}

TEST(TopologyGraphData, HasNoFileThatTheTableForgets) {
  TOPOLOGY_DATA_OR_SKIP(folder, "topology-graph");
  std::set<std::string> there;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) there.insert(fs::relative(entry.path(), folder).string());
  }
  std::set<std::string> known;
  for (const Outcome& outcome : Outcomes())
    known.insert(outcome.file);
  EXPECT_EQ(there, known);
}

TEST(Ec2Data, BothInstanceTopologiesLoad) {
  TOPOLOGY_DATA_OR_SKIP(folder, "cluster/converged-computing+performance-study");
  const std::vector<Outcome> outcomes = {
      {"experiments__aws__eks__cpu__size64__topology-64.json", "ec2", 64, {1, 1, 6}},
      {"experiments__aws__eks__cpu__size256__metadata__topology-256.json", "ec2", 258, {1, 2, 7}},
  };
  for (const Outcome& outcome : outcomes) {
    SCOPED_TRACE(outcome.file);
    Check(outcome, folder / outcome.file);
  }
}

// Pieces that get far into a parser, in any order, now and then with a byte of any kind between.
std::string RandomText(std::mt19937& random, const std::vector<std::string_view>& pieces) {
  std::string text;
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random()) % end; };
  for (std::size_t i = 0, count = 1 + below(12); i < count; ++i) {
    if (below(30) == 0)
      text += static_cast<char>(below(256));
    else
      text += pieces[below(pieces.size())];
  }
  return text;
}

const std::vector<std::string_view>& PiecesOf(std::string_view format) {
  static const std::map<std::string_view, std::vector<std::string_view>> kPieces = {
      {"slurm",
       {"SwitchName=",
        "a",
        "b",
        "n[1-3]",
        "n[0",
        "]",
        ",",
        " ",
        "\n",
        "\\\n",
        "#",
        "\"",
        "Include ",
        "SwitchName=a Nodes=n[1-9]\n",
        "SwitchName=b Nodes=m[08-11],x\n",
        "SwitchName=r Switches=a,b\n",
        "BlockName=c Nodes=k[1-2]l[3-4]\n",
        "BlockName=d Nodes=j\n",
        "BlockSizes=2,4\n",
        "SwitchName=b Switches=r "}},
      {"ec2",
       {"{\"Instances\": [", "{\"InstanceId\": \"i-1\", \"NetworkNodes\": [\"a\", \"b\"]}",
        "{\"InstanceId\": \"i-2\", \"NetworkNodes\": [\"a\"]}", ",", "]}", "[", "{", "null", "\"x\"",
        "Instances:\n", "Instances:\n- {InstanceId: i-1, NetworkNodes: [a, b]}\n",
        "- {InstanceId: i-2, NetworkNodes: [c]}\n", "- InstanceId: i-3\n", "  NetworkNodes: [a]\n",
        "  NetworkNodes:\n", "  - b\n"}},
      {"topograph",
       {"switches:\n", "  a: {switches: [b], nodes: [m1]}\n", "  b: {switches: [a]}\n",
        "  c: {nodes: ['k[1-3]']}\n", "blocks:\n",
        "- {switch: b, nodes: [m2], annotations: {accelerator.topology.test/domain: d}}\n",
        "capacity_blocks:\n", "  e: {nvlink: f, nodes: [m1]}\n", "&x ", "*x", "<<: ", "  labels: {}\n",
        "[{\"Name\": \"p\", \"DomainUUID\": \"q\"}", "]", "switchguid=1\nSwitch\t4 \"S-1\" # \"x;y:z\"\n",
        "[1]\t\"H-1\" # \"h m\"\n", "BlockName=c Nodes=k1\n"}},
  };
  return kPieces.at(format);
}

class AnyBytes : public ::testing::TestWithParam<const char*> {};

TEST_P(AnyBytes, AreLoadedOrRefusedWithAReason) {
  std::mt19937 random(20261202);
  std::size_t loaded = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::string text = RandomText(random, PiecesOf(GetParam()));
    const Result<Imported> imported = ImportText({GetParam(), "x"}, text);
    if (!imported) {
      ASSERT_FALSE(imported.error().message.empty()) << text;
      continue;
    }
    ++loaded;
    ASSERT_FALSE(imported->labels.empty()) << text;
    for (const auto& [host, labels] : imported->labels) {
      for (const auto& [key, value] : labels)
        ASSERT_LE(value.size(), 63U) << text;
    }
  }
  EXPECT_GT(loaded, 20U) << "the pieces no longer make anything that loads";
}

INSTANTIATE_TEST_SUITE_P(All, AnyBytes, ::testing::Values("slurm", "ec2", "topograph"),
                         [](const auto& row) { return std::string(row.param); });

// Real files with bytes changed, cut out and doubled.
TEST_P(AnyBytes, OfDamagedFilesAreLoadedOrRefusedWithAReason) {
  TOPOLOGY_DATA_OR_SKIP(folder, "topology-graph");
  std::mt19937 random(7);
  for (const Outcome& outcome : Outcomes()) {
    const std::string whole = ReadAll(folder / outcome.file);
    if (whole.size() > 10'000) continue;  // the fabric: slow, and its lines are in the pieces above
    for (int i = 0; i < 100; ++i) {
      std::string text = whole;
      for (int change = 0; change < 3; ++change) {
        const std::size_t at = random() % text.size();
        const std::size_t length = std::min<std::size_t>(random() % 20, text.size() - at);
        if (random() % 2 == 0)
          text[at] = static_cast<char>(random() % 256);
        else
          text.insert(at, text.substr(at, length));
      }
      const Result<Imported> imported = ImportText({GetParam(), "x"}, text);
      ASSERT_TRUE(imported || !imported.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace cadre::topology

#include "app/start_notes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "kube/node.h"
#include "kube/pod.h"
#include "kube/resources.h"

namespace cadre::app {

namespace {

constexpr std::size_t kNodesNamed = 3;
constexpr std::size_t kPodsNamed = 3;

std::int64_t AmountIn(const kube::ResourceList& list, std::string_view resource) {
  const auto found = list.find(resource);
  return found == list.end() ? 0 : found->second;
}

// More than there is of one resource.
struct Excess {
  std::string resource;
  std::int64_t asked = 0;
  std::int64_t allocatable = 0;
};

struct FullNode {
  std::string name;
  std::vector<Excess> of;  // by resource; not empty

  // By how much the worst of its resources is over, for sorting.
  double Worst() const {
    double worst = 0;
    for (const Excess& excess : of)
      worst = std::max(worst, static_cast<double>(excess.asked) /
                                  static_cast<double>(std::max<std::int64_t>(excess.allocatable, 1)));
    return worst;
  }
};

class Reader {
 public:
  explicit Reader(const SimulationInput& input) {
    std::set<std::string> later;
    for (const Submission& submission : input.submissions) {
      if (submission.object.kind == kube::Kind::kNode) later.insert(submission.object.Meta().name);
    }
    // Of a node that is there twice the last one counts, as in the API.
    for (const kube::Object& object : input.cluster) {
      if (object.kind == kube::Kind::kNode)
        allocatable_.insert_or_assign(object.Meta().name, object.As<kube::Node>().status.allocatable);
    }
    for (const kube::Object& object : input.cluster) {
      if (object.kind != kube::Kind::kPod) continue;
      const kube::Pod& pod = object.As<kube::Pod>();
      const std::string& node = pod.spec.node_name;
      if (node.empty() || kube::IsTerminal(pod) || later.contains(node)) continue;
      if (allocatable_.contains(node)) {
        for (const auto& [resource, amount] : kube::PodRequests(pod))
          asked_[node][resource] += amount;
      } else {
        unknown_nodes_.insert(node);
        astray_.push_back(fmt::format("{} on {}", kube::Describe(object), node));
      }
    }
  }

  std::string OfUnknownNodes() const {
    if (astray_.empty()) return "";
    const std::size_t shown = std::min(astray_.size(), kPodsNamed);
    const bool one = astray_.size() == 1;
    return fmt::format(
        "{} {} bound to {} that the input does not have ({}{}): {} nothing of the cluster that is simulated "
        "and {} removed after 40 s, as from a node that is gone; the nodes of the dump may be incomplete",
        Quantify(static_cast<std::int64_t>(astray_.size()), "pod"), one ? "is" : "are",
        Quantify(static_cast<std::int64_t>(unknown_nodes_.size()), "node"),
        fmt::join(astray_.begin(), astray_.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        shown < astray_.size() ? fmt::format(" and {} more", astray_.size() - shown) : "",
        one ? "it holds" : "they hold", one ? "is" : "are");
  }

  std::string OfFullNodes() const {
    const std::vector<FullNode> full = FullNodes();
    if (full.empty()) return "";
    std::vector<std::string> named;
    for (std::size_t i = 0; i < std::min(full.size(), kNodesNamed); ++i) {
      std::vector<std::string> of;
      for (const Excess& excess : full[i].of)
        of.push_back(fmt::format("{} of {}", kube::FormatAmount(excess.resource, excess.asked),
                                 kube::FormatAmount(excess.resource, excess.allocatable)));
      named.push_back(fmt::format("{} ({})", full[i].name, fmt::join(of, ", ")));
    }
    const std::size_t more = full.size() - named.size();
    return fmt::format(
        "over-committed before anything was submitted, asked of allocatable: {}{}; what asks for more of "
        "that "
        "gets no place there until enough of the pods have ended",
        fmt::join(named, ", "),
        more > 0 ? fmt::format(" and {}", Quantify(static_cast<std::int64_t>(more), "more node")) : "");
  }

 private:
  // The worst first, then by name.
  std::vector<FullNode> FullNodes() const {
    std::vector<FullNode> full;
    for (const auto& [name, asked] : asked_) {
      FullNode node{.name = name, .of = {}};
      for (const auto& [resource, amount] : asked) {
        const std::int64_t allocatable = AmountIn(allocatable_.at(name), resource);
        if (amount > allocatable) node.of.push_back({resource, amount, allocatable});
      }
      if (!node.of.empty()) full.push_back(std::move(node));
    }
    std::stable_sort(full.begin(), full.end(),
                     [](const FullNode& a, const FullNode& b) { return a.Worst() > b.Worst(); });
    return full;
  }

  std::map<std::string, kube::ResourceList> allocatable_;  // by node
  std::map<std::string, kube::ResourceList> asked_;
  std::set<std::string> unknown_nodes_;
  std::vector<std::string> astray_;  // "Pod default/a on n7"
};

}  // namespace

std::vector<std::string> StartNotes(const SimulationInput& input) {
  const Reader reader(input);
  std::vector<std::string> notes;
  for (std::string& note : std::vector<std::string>{reader.OfUnknownNodes(), reader.OfFullNodes()}) {
    if (!note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace cadre::app

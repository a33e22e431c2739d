#include <array>

#include "kube/decode_reader.h"
#include "kube/leaderworkerset.h"

namespace cadre::kube {
namespace {

constexpr std::array<Choice<bool>, 2> kStartupPolicies = {{{"LeaderReady", true}, {"LeaderCreated", false}}};

}  // namespace

void ReadLeaderWorkerSet(const Reader& root, LeaderWorkerSet& out) {
  root.ReadObject("spec", [&](const Reader& spec) {
    spec.Read("replicas", out.spec.replicas);
    spec.ReadChoice<bool>("startupPolicy", kStartupPolicies, out.spec.leader_ready);
    spec.ReadObject("leaderWorkerTemplate", [&](const Reader& both) {
      both.Read("size", out.spec.size);
      if (both.Has("leaderTemplate"))
        ReadPodTemplate(both, "leaderTemplate", out.spec.leader_template.emplace());
      ReadPodTemplate(both, "workerTemplate", out.spec.worker_template);
    });
  });
}

}  // namespace cadre::kube

// Any bytes as a manifest file: YAML, JSON or gzip; what comes out is checked as the API server would check
// it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "kube/manifest.h"
#include "kube/pod.h"
#include "kube/resources.h"
#include "kube/validate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cadre::kube;
  Manifests manifests;
  LoadText(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz", manifests);
  for (const Problem& problem : manifests.problems) {
    CADRE_ASSERT(!problem.message.empty(), "a problem says what it is");
  }
  for (const LoadedObject& loaded : manifests.objects) {
    for (const std::string& complaint : Validate(loaded.object)) {
      CADRE_ASSERT(!complaint.empty(), "a complaint says what it is");
    }
    if (loaded.object.kind == Kind::kPod) {
      CADRE_ASSERT(PodRequests(loaded.object.As<Pod>()).at(std::string(kPods)) == 1,
                   "a pod takes one of pods");
    }
  }
  return 0;
}

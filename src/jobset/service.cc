#include "jobset/service.h"

#include "jobset/child_jobs.h"

namespace cadre::jobset {

std::string Subdomain(const kube::JobSet& jobset) {
  return jobset.spec.network.subdomain.empty() ? jobset.metadata.name : jobset.spec.network.subdomain;
}

json::object MakeService(const kube::JobSet& jobset) {
  return {{"metadata",
           {{"name", Subdomain(jobset)},
            {"namespace", jobset.metadata.namespace_},
            {"ownerReferences", json::array{OwnedBy(jobset)}}}},
          {"spec",
           {{"clusterIP", "None"},
            {"selector", json::object{{kube::kJobSetNameLabel, jobset.metadata.name}}},
            {"publishNotReadyAddresses", jobset.spec.network.publish_not_ready_addresses}}}};
}

}  // namespace cadre::jobset

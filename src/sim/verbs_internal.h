// Shared by the verbs_*.cc files only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "kube/kind.h"

namespace cadre::sim::verbs {

// "pods", "jobs.batch": how conflicts and 404s name a resource.
std::string ResourceName(kube::Kind kind);
// "Pod", "Job.batch": how 422s and the preconditions of deletions name it.
std::string KindName(kube::Kind kind);

std::string CannotFulfil(std::string_view resource, std::string_view name, std::string_view why);
std::string Invalid(kube::Kind kind, std::string_view name, const std::vector<std::string>& complaints);

bool HasFinalizers(const json::object& body);

// Nodes, Namespaces, Services… have no metadata.generation.
bool HasGeneration(kube::Kind kind);
void BumpGeneration(kube::Kind kind, json::object& draft);

}  // namespace cadre::sim::verbs

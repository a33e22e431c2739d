// What all kinds share: metadata, conditions, label selectors.
#include "kube/decode_reader.h"
#include "kube/selector.h"

namespace cadre::kube {
namespace {

void ReadOwner(const Reader& owner, OwnerReference& out) {
  owner.Read("apiVersion", out.api_version);
  owner.Read("kind", out.kind);
  owner.Read("name", out.name);
  owner.Read("uid", out.uid);
  owner.Read("controller", out.controller);
  owner.Read("blockOwnerDeletion", out.block_owner_deletion);
}

}  // namespace

void ReadMetadata(const Reader& root, ObjectMeta& out) {
  root.ReadObject("metadata", [&](const Reader& metadata) {
    metadata.Read("name", out.name);
    metadata.Read("generateName", out.generate_name);
    metadata.Read("namespace", out.namespace_);
    metadata.Read("uid", out.uid);
    metadata.ReadResourceVersion("resourceVersion", out.resource_version);
    metadata.Read("generation", out.generation);
    metadata.Read("creationTimestamp", out.creation_timestamp);
    metadata.Read("deletionTimestamp", out.deletion_timestamp);
    metadata.Read("labels", out.labels);
    metadata.Read("annotations", out.annotations);
    metadata.ReadList("ownerReferences", out.owner_references, ReadOwner);
    metadata.Read("finalizers", out.finalizers);
  });
}

void ReadConditions(const Reader& status, std::vector<Condition>& out) {
  status.ReadList("conditions", out, [](const Reader& condition, Condition& to) {
    condition.Read("type", to.type);
    std::string value;
    condition.Read("status", value);
    to.status = value == "True";
    condition.Read("reason", to.reason);
    condition.Read("message", to.message);
    condition.Read("lastTransitionTime", to.last_transition_time);
  });
}

void AddMatchLabels(const StringMap& match_labels, LabelSelector& out) {
  for (const auto& [label, value] : match_labels) {
    out.requirements.push_back({.key = label, .op = SelectorOperator::kIn, .values = {value}});
  }
}

void ReadLabelSelector(const Reader& parent, std::string_view key, std::optional<LabelSelector>& out) {
  parent.ReadObject(key, [&](const Reader& selector) {
    LabelSelector& to = out.emplace();
    StringMap match_labels;
    selector.Read("matchLabels", match_labels);
    AddMatchLabels(match_labels, to);
    selector.ReadList("matchExpressions", to.requirements,
                      [](const Reader& expression, Requirement& requirement) {
                        expression.Read("key", requirement.key);
                        expression.ReadChoice<SelectorOperator>("operator", kLabelOperators, requirement.op);
                        expression.Read("values", requirement.values);
                      });
  });
}

}  // namespace cadre::kube

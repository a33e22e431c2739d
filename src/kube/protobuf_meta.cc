// What all kinds share: metadata, conditions, label selectors.
#include <iterator>

#include "kube/protobuf_messages.h"

namespace cadre::kube {
namespace {

constexpr auto kOwnerReference = FieldsOf<OwnerReference>({
    {1, "kind", [](ProtobufReader& value, OwnerReference& out) { value.Read(out.kind); }},
    {3, "name", [](ProtobufReader& value, OwnerReference& out) { value.Read(out.name); }},
    {4, "uid", [](ProtobufReader& value, OwnerReference& out) { value.Read(out.uid); }},
    {5, "apiVersion", [](ProtobufReader& value, OwnerReference& out) { value.Read(out.api_version); }},
    {6, "controller", [](ProtobufReader& value, OwnerReference& out) { value.Read(out.controller); }},
    {7, "blockOwnerDeletion",
     [](ProtobufReader& value, OwnerReference& out) { value.Read(out.block_owner_deletion); }},
});

constexpr auto kObjectMeta = FieldsOf<ObjectMeta>({
    {1, "name", [](ProtobufReader& value, ObjectMeta& out) { value.Read(out.name); }},
    {2, "generateName", [](ProtobufReader& value, ObjectMeta& out) { value.Read(out.generate_name); }},
    {3, "namespace", [](ProtobufReader& value, ObjectMeta& out) { value.Read(out.namespace_); }},
    {5, "uid", [](ProtobufReader& value, ObjectMeta& out) { value.Read(out.uid); }},
    {6, "resourceVersion",
     [](ProtobufReader& value, ObjectMeta& out) { value.ReadResourceVersion(out.resource_version); }},
    {7, "generation", [](ProtobufReader& value, ObjectMeta& out) { value.Read(out.generation); }},
    {8, "creationTimestamp",
     [](ProtobufReader& value, ObjectMeta& out) { value.Read(out.creation_timestamp); }},
    {9, "deletionTimestamp",
     [](ProtobufReader& value, ObjectMeta& out) { value.Read(out.deletion_timestamp); }},
    {11, "labels", [](ProtobufReader& value, ObjectMeta& out) { value.ReadEntry(out.labels); }},
    {12, "annotations", [](ProtobufReader& value, ObjectMeta& out) { value.ReadEntry(out.annotations); }},
    {13, "ownerReferences",
     [](ProtobufReader& value, ObjectMeta& out) { value.ReadItem(kOwnerReference, out.owner_references); }},
    {14, "finalizers", [](ProtobufReader& value, ObjectMeta& out) { value.ReadItem(out.finalizers); }},
});

// "True" is the one value that counts.
constexpr auto kCondition = FieldsOf<Condition>({
    {1, "type", [](ProtobufReader& value, Condition& out) { value.Read(out.type); }},
    {2, "status", [](ProtobufReader& value, Condition& out) { out.status = value.ReadBytes() == "True"; }},
    {4, "lastTransitionTime",
     [](ProtobufReader& value, Condition& out) { value.Read(out.last_transition_time); }},
    {5, "reason", [](ProtobufReader& value, Condition& out) { value.Read(out.reason); }},
    {6, "message", [](ProtobufReader& value, Condition& out) { value.Read(out.message); }},
});

constexpr auto kRequirement = FieldsOf<Requirement>({
    {1, "key", [](ProtobufReader& value, Requirement& out) { value.Read(out.key); }},
    {2, "operator",
     [](ProtobufReader& value, Requirement& out) {
       value.ReadChoice<SelectorOperator>(kLabelOperators, out.op);
     }},
    {3, "values", [](ProtobufReader& value, Requirement& out) { value.ReadItem(out.values); }},
});

struct LabelSelectorParts {
  StringMap match_labels;
  std::vector<Requirement> match_expressions;
};
constexpr auto kLabelSelector = FieldsOf<LabelSelectorParts>({
    {1, "matchLabels",
     [](ProtobufReader& value, LabelSelectorParts& out) { value.ReadEntry(out.match_labels); }},
    {2, "matchExpressions",
     [](ProtobufReader& value, LabelSelectorParts& out) {
       value.ReadItem(kRequirement, out.match_expressions);
     }},
});

}  // namespace

void ReadObjectMeta(ProtobufReader& value, ObjectMeta& out) {
  value.ReadMessage(kObjectMeta, out);
}

void ReadConditionItem(ProtobufReader& value, std::vector<Condition>& out) {
  value.ReadItem(kCondition, out);
}

void ReadLabelSelector(ProtobufReader& value, std::optional<LabelSelector>& out) {
  LabelSelectorParts parts;
  value.ReadMessage(kLabelSelector, parts);
  LabelSelector& to = out.emplace();
  AddMatchLabels(parts.match_labels, to);
  to.requirements.insert(to.requirements.end(), std::make_move_iterator(parts.match_expressions.begin()),
                         std::make_move_iterator(parts.match_expressions.end()));
}

}  // namespace cadre::kube

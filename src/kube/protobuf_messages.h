// The messages that protobuf decoders share. Internal to src/kube; see protobuf_reader.h.
//
// Source of all field numbers: generated.proto of k8s.io/api v0.36.3 (core/v1, batch/v1) and of
// k8s.io/apimachinery v0.36.3 (meta/v1, runtime, resource). They are part of the API and never change.
#pragma once

#include "kube/job.h"
#include "kube/node.h"
#include "kube/pod.h"
#include "kube/protobuf_reader.h"

namespace cadre::kube {

// Each reads the current value, a message of the kind named.
void ReadObjectMeta(ProtobufReader& value, ObjectMeta& out);
void ReadConditionItem(ProtobufReader& value, std::vector<Condition>& out);  // Pod-, Node- or JobCondition
void ReadLabelSelector(ProtobufReader& value, std::optional<LabelSelector>& out);
void ReadPodTemplateSpec(ProtobufReader& value, PodTemplate& out);

// A whole object. Never throws.
std::expected<void, FieldError> ReadPodProtobuf(std::string_view bytes, Pod& out);
std::expected<void, FieldError> ReadNodeProtobuf(std::string_view bytes, Node& out);
std::expected<void, FieldError> ReadJobProtobuf(std::string_view bytes, Job& out);

}  // namespace cadre::kube

#include "kube/protobuf_messages.h"

namespace cadre::kube {
namespace {

constexpr auto kTaint = FieldsOf<Taint>({
    {1, "key", [](ProtobufReader& value, Taint& out) { value.Read(out.key); }},
    {2, "value", [](ProtobufReader& value, Taint& out) { value.Read(out.value); }},
    {3, "effect", [](ProtobufReader& value, Taint& out) { value.Read(out.effect); }},
});

constexpr auto kNodeSpec = FieldsOf<NodeSpec>({
    {4, "unschedulable", [](ProtobufReader& value, NodeSpec& out) { value.Read(out.unschedulable); }},
    {5, "taints", [](ProtobufReader& value, NodeSpec& out) { value.ReadItem(kTaint, out.taints); }},
});

constexpr auto kNodeStatus = FieldsOf<NodeStatus>({
    {1, "capacity", [](ProtobufReader& value, NodeStatus& out) { value.ReadEntry(out.capacity); }},
    {2, "allocatable", [](ProtobufReader& value, NodeStatus& out) { value.ReadEntry(out.allocatable); }},
    {4, "conditions",
     [](ProtobufReader& value, NodeStatus& out) { ReadConditionItem(value, out.conditions); }},
});

constexpr auto kNode = FieldsOf<Node>({
    {1, "metadata", [](ProtobufReader& value, Node& out) { ReadObjectMeta(value, out.metadata); }},
    {2, "spec", [](ProtobufReader& value, Node& out) { value.ReadMessage(kNodeSpec, out.spec); }},
    {3, "status", [](ProtobufReader& value, Node& out) { value.ReadMessage(kNodeStatus, out.status); }},
});

}  // namespace

std::expected<void, FieldError> ReadNodeProtobuf(std::string_view bytes, Node& out) {
  std::expected<void, FieldError> read = ReadProtobuf(bytes, kNode, out);
  // The API server's default. An empty map is not written, so that it looks like none.
  if (read && out.status.allocatable.empty()) out.status.allocatable = out.status.capacity;
  return read;
}

}  // namespace cadre::kube

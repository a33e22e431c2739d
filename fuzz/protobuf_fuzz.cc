// Any bytes as what an API server sends as protobuf: an object, a list, a Status, the frames of a watch.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "kube/pod.h"
#include "kube/protobuf_decode.h"
#include "kube/resources.h"

namespace {

using namespace cadre::kube;

void CheckObject(const Object& object) {
  CADRE_ASSERT(HasProtobuf(object.kind) && object.raw == nullptr, "what comes out of protobuf has no JSON");
  if (object.kind != Kind::kPod) return;
  CADRE_ASSERT(PodRequests(object.As<Pod>()).at(std::string(kPods)) == 1, "a pod takes one of pods");
}

template <class T>
bool IsGood(const cadre::Result<T>& result) {
  CADRE_ASSERT(result.has_value() || !result.error().message.empty(), "an error says what it is");
  return result.has_value();
}

void ReadWatch(std::string_view bytes) {
  ProtobufFrames frames;
  frames.Append(bytes);
  while (true) {
    const auto frame = frames.Next();
    if (!IsGood(frame) || !*frame) return;
    const auto event = DecodeProtobufWatchEvent(**frame);
    if (IsGood(event) && event->object) CheckObject(*event->object);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto object = DecodeProtobuf(bytes); IsGood(object)) CheckObject(*object);
  if (const auto list = DecodeProtobufList(bytes); IsGood(list)) {
    for (const Object& object : list->items)
      CheckObject(object);
    for (const cadre::Error& error : list->unreadable)
      CADRE_ASSERT(!error.message.empty(), "an error says what it is");
  }
  IsGood(DecodeProtobufStatus(bytes));
  ReadWatch(bytes);
  return 0;
}

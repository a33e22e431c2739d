// Protobuf and JSON of the same object decode alike, and no bytes are more than an error.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/decode.h"
#include "kube/job.h"
#include "kube/node.h"
#include "kube/pod.h"
#include "kube/protobuf_decode.h"
#include "kube/protobuf_testing.h"
#include "kube/test_support.h"

namespace cadre::kube {
namespace {

namespace json = boost::json;

struct BothForms {
  json::object json;
  std::string protobuf;
};

template <class T>
BothForms RandomObject(std::uint64_t seed) {
  const KindInfo& info = Info(T::kKind);
  json::object object = RandomMessage(seed).Make(info.name);
  const std::string message = ProtobufOfJson::Write(info.name, object);
  return {.json = std::move(object), .protobuf = Envelope(ApiVersion(T::kKind), info.name, message)};
}

template <class T>
void ExpectBothDecodeAlike(std::uint64_t seed) {
  const BothForms forms = RandomObject<T>(seed);
  const Result<Object> from_json = Decode(T::kKind, json::value(forms.json));
  const Result<Object> from_protobuf = DecodeProtobuf(forms.protobuf);
  if (!from_json) RC_FAIL(from_json.error().message);
  if (!from_protobuf) RC_FAIL(from_protobuf.error().message);
  RC_ASSERT(from_protobuf->kind == T::kKind);
  RC_ASSERT(from_protobuf->raw == nullptr);
  if (!(from_json->As<T>() == from_protobuf->As<T>())) RC_FAIL(json::serialize(forms.json));
}

RC_GTEST_PROP(ProtobufProperties, APodIsTheSameAsFromJson, (std::uint64_t seed)) {
  ExpectBothDecodeAlike<Pod>(seed);
}

RC_GTEST_PROP(ProtobufProperties, ANodeIsTheSameAsFromJson, (std::uint64_t seed)) {
  ExpectBothDecodeAlike<Node>(seed);
}

RC_GTEST_PROP(ProtobufProperties, AJobIsTheSameAsFromJson, (std::uint64_t seed)) {
  ExpectBothDecodeAlike<Job>(seed);
}

void ExpectAnObjectOrAnError(std::string_view bytes) {
  const Result<Object> object = DecodeProtobuf(bytes);
  ASSERT_TRUE(object.has_value() || !object.error().message.empty());
}

TEST(ProtobufProperties, AnObjectThatIsCutShortAnywhereIsAnObjectOrAnError) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (const std::string& bytes : {RandomObject<Pod>(seed).protobuf, RandomObject<Node>(seed).protobuf,
                                     RandomObject<Job>(seed).protobuf}) {
      for (std::size_t size = 0; size < bytes.size(); ++size) {
        // A copy of exactly these bytes, so that a sanitizer sees a step beyond them.
        const std::vector<char> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
        ExpectAnObjectOrAnError({part.data(), part.size()});
      }
    }
  }
}

template <class T>
void ExpectBrokenBytesAreNoMoreThanAnError(std::uint64_t seed) {
  Random random(seed);
  std::string bytes = RandomObject<T>(seed).protobuf;
  for (std::uint64_t i = random.Uniform(8) + 1; i > 0; --i)
    bytes[random.Uniform(bytes.size())] = static_cast<char>(random.Uniform(256));
  ExpectAnObjectOrAnError(bytes);
}

RC_GTEST_PROP(ProtobufProperties, ABrokenObjectIsAnObjectOrAnError, (std::uint64_t seed)) {
  ExpectBrokenBytesAreNoMoreThanAnError<Pod>(seed);
  ExpectBrokenBytesAreNoMoreThanAnError<Node>(seed);
  ExpectBrokenBytesAreNoMoreThanAnError<Job>(seed);
}

// The trap of the library below: a known field with every other wire type, which it only asserts.
TEST(ProtobufProperties, AKnownFieldOfAnotherWireTypeIsAnError) {
  for (const std::string_view message : {"Pod", "Node", "Job"}) {
    const std::string api_version = message == "Job" ? "batch/v1" : "v1";
    for (const std::uint32_t number : {1U, 2U, 3U}) {
      for (const unsigned wire_type : {0U, 1U, 5U}) {
        std::string bytes(1, static_cast<char>(number << 3U | wire_type));
        bytes.append(8, '\1');
        const Result<Object> object = DecodeProtobuf(Envelope(api_version, message, bytes));
        ASSERT_FALSE(object.has_value());
        EXPECT_NE(object.error().message.find("found wire type"), std::string::npos)
            << object.error().message;
      }
    }
  }
}

}  // namespace
}  // namespace cadre::kube

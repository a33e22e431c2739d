#include "kube/protobuf_decode.h"

#include <gtest/gtest.h>

#include "kube/job.h"
#include "kube/node.h"
#include "kube/pod.h"
#include "kube/protobuf_testing.h"

namespace cadre::kube {
namespace {

namespace json = boost::json;

std::string Message(std::string_view message, std::string_view text) {
  return ProtobufOfJson::Write(message, json::parse(text).as_object());
}

std::string PodBytes(std::string_view text) {
  return Envelope("v1", "Pod", Message("Pod", text));
}

// A list of items of a kind, with metadata.
std::string ListBytes(std::string_view api_version, std::string_view kind,
                      const std::vector<std::string>& items) {
  std::string metadata;
  protozero::pbf_writer meta(metadata);
  meta.add_string(2, "81234567");
  meta.add_string(3, "next page");
  meta.add_int64(4, 17);
  std::string list;
  protozero::pbf_writer out(list);
  out.add_message(1, metadata);
  for (const std::string& item : items)
    out.add_message(2, item);
  return Envelope(api_version, kind, list);
}

std::string StatusBytes() {
  std::string cause;
  protozero::pbf_writer cause_out(cause);
  cause_out.add_string(1, "FieldValueInvalid");
  cause_out.add_string(2, "no");
  cause_out.add_string(3, "spec.a");
  std::string details;
  protozero::pbf_writer details_out(details);
  details_out.add_string(1, "web-0");
  details_out.add_string(3, "pods");
  details_out.add_message(4, cause);
  details_out.add_int32(5, 3);
  std::string status;
  protozero::pbf_writer out(status);
  out.add_message(1, std::string());
  out.add_string(2, "Failure");
  out.add_string(3, "too old resource version");
  out.add_string(4, "Expired");
  out.add_message(5, details);
  out.add_int32(6, 410);
  return Envelope("v1", "Status", status);
}

std::string EventBytes(std::string_view type, std::string_view object) {
  std::string raw;
  protozero::pbf_writer(raw).add_bytes(1, object.data(), object.size());
  std::string event;
  protozero::pbf_writer out(event);
  out.add_string(1, std::string(type));
  out.add_message(2, raw);
  return event;
}

std::string Framed(std::string_view frame) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U})
    bytes += static_cast<char>(frame.size() >> shift & 255U);
  return bytes.append(frame);
}

template <class T>
std::string ErrorOf(const Result<T>& result) {
  return result ? "no error" : result.error().message;
}

TEST(ProtobufDecode, AnEnvelopeSaysWhatIsInIt) {
  const std::string bytes = Envelope("batch/v1", "JobList", "abc");
  const auto envelope = OpenProtobuf(bytes);
  ASSERT_TRUE(envelope.has_value()) << envelope.error().message;
  EXPECT_EQ(envelope->api_version, "batch/v1");
  EXPECT_EQ(envelope->kind, "JobList");
  EXPECT_EQ(envelope->raw, "abc");
}

TEST(ProtobufDecode, JsonInsteadOfProtobufIsAnError) {
  EXPECT_EQ(ErrorOf(DecodeProtobuf("{}")), "not Kubernetes' protobuf: it does not start with k8s\\0");
}

TEST(ProtobufDecode, AnotherKindIsAskedForAsJson) {
  EXPECT_EQ(ErrorOf(DecodeProtobuf(Envelope("apps/v1", "Deployment", ""))),
            "Deployment of apps/v1 is not read as protobuf; ask for JSON");
}

TEST(ProtobufDecode, AStatusInsteadOfAnObjectIsAnErrorWithItsMessage) {
  EXPECT_EQ(ErrorOf(DecodeProtobuf(StatusBytes())),
            "expected an object, the API server says Expired: too old resource version (410)");
}

TEST(ProtobufDecode, AnErrorNamesTheObjectAndThePathOfTheField) {
  EXPECT_EQ(ErrorOf(DecodeProtobuf(PodBytes(
                R"({"metadata":{"name":"a","namespace":"default"},
                    "spec":{"containers":[{"resources":{"requests":{"cpu":"1x"}}}]}})"))),
            "Pod default/a: spec.containers.resources.requests.cpu: found \"1x\", expected a quantity, e.g. "
            "500m, 2 "
            "or 64Gi");
}

TEST(ProtobufDecode, AValueThatAnEnumerationDoesNotHaveIsAnError) {
  EXPECT_EQ(
      ErrorOf(DecodeProtobuf(PodBytes(R"({"status":{"phase":"Sleeping"}})"))),
      "Pod: status.phase: found \"Sleeping\", expected one of Pending, Running, Succeeded, Failed, Unknown");
}

TEST(ProtobufDecode, ATimeOutsideOfTheCalendarIsAnError) {
  std::string time;
  protozero::pbf_writer(time).add_int64(1, std::int64_t{1} << 62U);
  std::string metadata;
  protozero::pbf_writer(metadata).add_message(8, time);
  std::string pod;
  protozero::pbf_writer(pod).add_message(1, metadata);
  EXPECT_EQ(ErrorOf(DecodeProtobuf(Envelope("v1", "Pod", pod))),
            "Pod: metadata.creationTimestamp: found second 4611686018427387904, expected one of the years 1 "
            "to 9999");
}

TEST(ProtobufDecode, TextThatIsNotUtf8IsReplaced) {
  std::string metadata;
  protozero::pbf_writer(metadata).add_string(1, "a\xff");
  std::string pod;
  protozero::pbf_writer(pod).add_message(1, metadata);
  const auto object = DecodeProtobuf(Envelope("v1", "Pod", pod));
  ASSERT_TRUE(object.has_value()) << object.error().message;
  EXPECT_EQ(object->Meta().name, "a\xef\xbf\xbd");
}

TEST(ProtobufDecode, ABooleanOfSeveralBytesIsReadWhole) {
  std::string spec("\x58\x80\x01", 3);  // hostNetwork = 128, which is true
  std::string pod;
  protozero::pbf_writer(pod).add_message(2, spec);
  const auto object = DecodeProtobuf(Envelope("v1", "Pod", pod));
  ASSERT_TRUE(object.has_value()) << object.error().message;
  EXPECT_TRUE(object->As<Pod>().spec.host_network);
}

TEST(ProtobufDecode, ExitCodesMayBePacked) {
  std::string codes;
  protozero::pbf_writer codes_out(codes);
  const std::vector<std::int32_t> values = {1, 137};
  codes_out.add_packed_int32(3, values.begin(), values.end());
  std::string rule;
  protozero::pbf_writer(rule).add_message(2, codes);
  std::string policy;
  protozero::pbf_writer(policy).add_message(1, rule);
  std::string spec;
  protozero::pbf_writer(spec).add_message(11, policy);
  std::string job;
  protozero::pbf_writer(job).add_message(2, spec);
  const auto object = DecodeProtobuf(Envelope("batch/v1", "Job", job));
  ASSERT_TRUE(object.has_value()) << object.error().message;
  EXPECT_EQ(object->As<Job>().spec.pod_failure_policy.at(0).exit_codes, values);
}

TEST(ProtobufDecode, AListHasItsVersionAndItsItems) {
  const auto list = DecodeProtobufList(ListBytes(
      "v1", "NodeList",
      {Message("Node", R"({"metadata":{"name":"n1"}})"), Message("Node", R"({"metadata":{"name":"n2"}})")}));
  ASSERT_TRUE(list.has_value()) << list.error().message;
  EXPECT_EQ(list->kind, Kind::kNode);
  EXPECT_EQ(list->metadata.resource_version, 81234567U);
  EXPECT_EQ(list->metadata.continue_token, "next page");
  EXPECT_EQ(list->metadata.remaining_items, 17);
  ASSERT_EQ(list->items.size(), 2U);
  EXPECT_EQ(list->items[1].Meta().name, "n2");
}

TEST(ProtobufDecode, OneBadItemDoesNotHideTheOthers) {
  const auto list =
      DecodeProtobufList(ListBytes("v1", "PodList",
                                   {Message("Pod", R"({"metadata":{"name":"a"},"status":{"phase":"Odd"}})"),
                                    Message("Pod", R"({"metadata":{"name":"b"}})")}));
  ASSERT_TRUE(list.has_value()) << list.error().message;
  ASSERT_EQ(list->items.size(), 1U);
  EXPECT_EQ(list->items[0].Meta().name, "b");
  ASSERT_EQ(list->unreadable.size(), 1U);
  EXPECT_TRUE(list->unreadable[0].message.starts_with("Pod a: status.phase: "))
      << list->unreadable[0].message;
}

TEST(ProtobufDecode, AListThatIsCutShortIsAnError) {
  std::string list = ListBytes("v1", "PodList", {Message("Pod", R"({"metadata":{"name":"a"}})")});
  list.resize(list.size() - 20);
  EXPECT_FALSE(DecodeProtobufList(list).has_value());
}

TEST(ProtobufDecode, AnObjectIsNoList) {
  EXPECT_EQ(ErrorOf(DecodeProtobufList(PodBytes("{}"))), "Pod of v1 is not read as protobuf; ask for JSON");
}

TEST(ProtobufDecode, AStatusIsReadWithItsDetails) {
  const auto status = DecodeProtobufStatus(StatusBytes());
  ASSERT_TRUE(status.has_value()) << status.error().message;
  EXPECT_EQ(status->status, "Failure");
  EXPECT_EQ(status->reason, "Expired");
  EXPECT_EQ(status->code, 410);
  EXPECT_EQ(status->name, "web-0");
  EXPECT_EQ(status->kind, "pods");
  EXPECT_EQ(status->retry_after_seconds, 3);
  ASSERT_EQ(status->causes.size(), 1U);
  EXPECT_EQ(status->causes[0].field, "spec.a");
}

TEST(ProtobufDecode, AnEventOfAWatchHasAnObject) {
  const auto event =
      DecodeProtobufWatchEvent(EventBytes("DELETED", PodBytes(R"({"metadata":{"name":"a"}})")));
  ASSERT_TRUE(event.has_value()) << event.error().message;
  EXPECT_EQ(event->type, WatchEventType::kDeleted);
  EXPECT_EQ(event->object->Meta().name, "a");
}

TEST(ProtobufDecode, AnErrorOfAWatchHasAStatus) {
  const auto event = DecodeProtobufWatchEvent(EventBytes("ERROR", StatusBytes()));
  ASSERT_TRUE(event.has_value()) << event.error().message;
  EXPECT_EQ(event->type, WatchEventType::kError);
  EXPECT_EQ(event->status->code, 410);
}

TEST(ProtobufDecode, ABookmarkHasNothingButItsVersion) {
  const auto event =
      DecodeProtobufWatchEvent(EventBytes("BOOKMARK", PodBytes(R"({"metadata":{"resourceVersion":"5"}})")));
  ASSERT_TRUE(event.has_value()) << event.error().message;
  EXPECT_EQ(event->type, WatchEventType::kBookmark);
  EXPECT_EQ(event->object->Meta().resource_version, 5U);
}

TEST(ProtobufDecode, AnEventWithoutATypeIsAnError) {
  EXPECT_EQ(ErrorOf(DecodeProtobufWatchEvent(EventBytes("", PodBytes("{}")))),
            "event of a watch: type: missing");
}

TEST(ProtobufFrames, AStreamIsCutWhereItsLengthsSay) {
  const std::string stream = Framed("one") + Framed("") + Framed("three");
  for (std::size_t step = 1; step <= stream.size(); ++step) {
    ProtobufFrames frames;
    std::vector<std::string> found;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      frames.Append(std::string_view(stream).substr(at, step));
      while (const auto frame = frames.Next().value())
        found.emplace_back(*frame);
    }
    EXPECT_EQ(found, (std::vector<std::string>{"one", "", "three"})) << "in steps of " << step;
    EXPECT_TRUE(frames.IsAtBoundary());
  }
}

TEST(ProtobufFrames, AnUnfinishedFrameIsNoBoundary) {
  ProtobufFrames frames;
  frames.Append(Framed("one").substr(0, 5));
  EXPECT_EQ(frames.Next().value(), std::nullopt);
  EXPECT_FALSE(frames.IsAtBoundary());
}

TEST(ProtobufFrames, AFrameThatIsTooLargeIsRefusedBeforeItComes) {
  ProtobufFrames frames;
  frames.Append(std::string_view("\x7f\xff\xff\xff", 4));
  EXPECT_EQ(ErrorOf(frames.Next()), "watch: a frame of 2147483647 bytes, at most 16777216 are taken");
}

}  // namespace
}  // namespace cadre::kube

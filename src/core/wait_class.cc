#include "core/wait_class.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/json.h"

namespace cadre::core {

namespace {

constexpr std::string_view kPodScheduled = "PodScheduled";
constexpr std::string_view kUnschedulable = "Unschedulable";

struct Words {
  WaitClass waits;
  std::string_view reason;
  std::string_view head;  // no head begins with another
};

constexpr std::array<Words, 5> kWords = {{
    {WaitClass::kNone, "", ""},
    {WaitClass::kRoom, kUnschedulable, "Waits for room: "},
    {WaitClass::kNever, kUnschedulable, "Does not fit this cluster: "},
    {WaitClass::kIncomplete, "WaitingForMembers", "Waits for its group: "},
    {WaitClass::kCannot, kUnschedulable, "Cannot be placed as it is: "},
}};

const Words& WordsOf(WaitClass waits) {
  return kWords[static_cast<std::size_t>(waits)];
}

const kube::Condition* PodScheduledOf(const kube::Pod& pod) {
  const auto found = std::ranges::find(pod.status.conditions, kPodScheduled, &kube::Condition::type);
  return found == pod.status.conditions.end() ? nullptr : &*found;
}

}  // namespace

WaitClass ClassOf(match::No no) {
  return no == match::No::kNever ? WaitClass::kNever : WaitClass::kRoom;
}

WaitClass ToldClassOf(const kube::Pod& pod) {
  const kube::Condition* condition = PodScheduledOf(pod);
  if (condition == nullptr || condition->status) return WaitClass::kNone;
  const auto found = std::ranges::find_if(kWords, [&](const Words& words) {
    return !words.head.empty() && condition->reason == words.reason &&
           condition->message.starts_with(words.head);
  });
  return found == kWords.end() ? WaitClass::kNone : found->waits;
}

std::string_view ReasonOf(WaitClass waits) {
  return WordsOf(waits).reason;
}

std::string MessageOf(WaitClass waits, std::string_view words) {
  std::string message(WordsOf(waits).head);
  message += words;
  if (message.size() <= kMostOfMessage) return message;
  constexpr std::string_view kMore = "...";
  std::size_t end = kMostOfMessage - kMore.size();
  // Not in the middle of a character: its further bytes are 10xxxxxx.
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80U)
    --end;
  message.resize(end);
  message += kMore;
  return message;
}

boost::json::object PodScheduledPatch(const kube::Pod& pod, WaitClass waits, std::string_view words,
                                      Time now) {
  CADRE_ASSERT(waits != WaitClass::kNone, "a pod that does not wait is told nothing");
  json::object condition{{"type", kPodScheduled},
                         {"status", "False"},
                         {"reason", ReasonOf(waits)},
                         {"message", MessageOf(waits, words)}};
  const kube::Condition* before = PodScheduledOf(pod);
  if (before == nullptr || before->status || !before->last_transition_time)
    condition["lastTransitionTime"] = FormatRfc3339(now);
  return {{"status", json::object{{"conditions", json::array{std::move(condition)}}}}};
}

}  // namespace cadre::core

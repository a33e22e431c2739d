// What the decoders of JSON and of protobuf have in common, so that the same object comes out of both: the
// values of enumerations, and what is filled in once all fields are read.
//
// Internal to src/kube. Each Finish… is called once, on a struct that was just read; those of the parts of an
// object are called before that of the whole. They apply the API server's defaulting (see decode.h).
#pragma once

#include <array>
#include <string_view>

#include "kube/job.h"
#include "kube/node.h"
#include "kube/pod.h"
#include "kube/selector.h"

namespace cadre::kube {

// One allowed value of a field that is an enumeration.
template <class E>
struct Choice {
  std::string_view text;
  E value;
};

inline constexpr std::array<Choice<SelectorOperator>, 4> kLabelOperators = {{
    {"In", SelectorOperator::kIn},
    {"NotIn", SelectorOperator::kNotIn},
    {"Exists", SelectorOperator::kExists},
    {"DoesNotExist", SelectorOperator::kDoesNotExist},
}};

inline constexpr std::array<Choice<SelectorOperator>, 6> kNodeOperators = {{
    {"In", SelectorOperator::kIn},
    {"NotIn", SelectorOperator::kNotIn},
    {"Exists", SelectorOperator::kExists},
    {"DoesNotExist", SelectorOperator::kDoesNotExist},
    {"Gt", SelectorOperator::kGt},
    {"Lt", SelectorOperator::kLt},
}};

inline constexpr std::array<Choice<PodPhase>, 5> kPhases = {{
    {"Pending", PodPhase::kPending},
    {"Running", PodPhase::kRunning},
    {"Succeeded", PodPhase::kSucceeded},
    {"Failed", PodPhase::kFailed},
    {"Unknown", PodPhase::kUnknown},
}};

struct TolerationOperator {
  bool exists = false;
  TaintComparison comparison = TaintComparison::kNone;
};
inline constexpr std::array<Choice<TolerationOperator>, 4> kTolerationOperators = {{
    {"Equal", {}},
    {"Exists", {.exists = true}},
    {"Gt", {.comparison = TaintComparison::kGt}},
    {"Lt", {.comparison = TaintComparison::kLt}},
}};

inline constexpr std::array<Choice<bool>, 2> kHonor = {{{"Honor", true}, {"Ignore", false}}};
inline constexpr std::array<Choice<bool>, 2> kUnsatisfiable = {
    {{"DoNotSchedule", true}, {"ScheduleAnyway", false}}};

inline constexpr std::array<Choice<bool>, 2> kCompletionModes = {{{"Indexed", true}, {"NonIndexed", false}}};
inline constexpr std::array<Choice<bool>, 2> kReplacementPolicies = {
    {{"Failed", true}, {"TerminatingOrFailed", false}}};
inline constexpr std::array<Choice<bool>, 2> kExitCodeOperators = {{{"In", true}, {"NotIn", false}}};
inline constexpr std::array<Choice<PodFailurePolicyAction>, 4> kFailureActions = {{
    {"FailJob", PodFailurePolicyAction::kFailJob},
    {"FailIndex", PodFailurePolicyAction::kFailIndex},
    {"Ignore", PodFailurePolicyAction::kIgnore},
    {"Count", PodFailurePolicyAction::kCount},
}};

// A LabelSelector's matchLabels as requirements. They stand before its matchExpressions.
void AddMatchLabels(const StringMap& match_labels, LabelSelector& out);

void FinishPodSpec(PodSpec& spec);
void FinishPodStatus(PodStatus& status);
void FinishPod(Pod& pod);
void FinishJobSpec(JobSpec& spec);
void FinishJob(Job& job);

}  // namespace cadre::kube

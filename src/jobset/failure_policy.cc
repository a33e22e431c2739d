#include "jobset/failure_policy.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/check.h"
#include "jobset/message_pattern.h"

namespace cadre::jobset {
namespace {

using Action = FailureDecision::Action;
using Rule = kube::JobSetFailurePolicyRule;

struct ActionInfo {
  std::string_view name;
  Action action;
  bool counts_towards_max;
  bool only_that_job;  // not supported yet: the whole JobSet restarts instead
};

constexpr std::array kActions = {
    ActionInfo{"FailJobSet", Action::kFail, false, false},
    ActionInfo{"RestartJobSet", Action::kRestart, true, false},
    ActionInfo{"RestartJobSetAndIgnoreMaxRestarts", Action::kRestart, false, false},
    ActionInfo{"RestartJob", Action::kRestart, true, true},
    ActionInfo{"RestartJobAndIgnoreMaxRestarts", Action::kRestart, false, true},
};

const ActionInfo& InfoOf(std::string_view action) {
  const auto found = std::ranges::find(kActions, action, &ActionInfo::name);
  return found == kActions.end() ? kActions[1] : *found;
}

struct Match {
  const Rule* rule = nullptr;  // null: no rule matched
  const Child* job = nullptr;
};

// Patterns that can be read; the others are said, and match nothing.
std::vector<MessagePattern> PatternsOf(const Rule& rule, std::vector<Remark>& remarks) {
  std::vector<MessagePattern> patterns;
  for (const std::string& text : rule.on_job_failure_message_patterns) {
    Result<MessagePattern> pattern = MessagePattern::Parse(text);
    if (pattern) {
      patterns.push_back(*std::move(pattern));
    } else {
      remarks.push_back({.reason = "MessagePatternNotRead",
                         .message = fmt::format("failure policy rule {}: pattern \"{}\" matches nothing: {}",
                                                rule.name, text, pattern.error().message)});
    }
  }
  return patterns;
}

bool Matches(const Rule& rule, const std::vector<MessagePattern>& patterns, const Child& child) {
  const std::vector<std::string>& reasons = rule.on_job_failure_reasons;
  const auto is_in_message = [&](const MessagePattern& pattern) {
    return pattern.IsIn(FailureOf(child).message);
  };
  return Targets(rule.target_replicated_jobs, child.replicated_job) &&
         (reasons.empty() || std::ranges::find(reasons, FailureOf(child).reason) != reasons.end()) &&
         (rule.on_job_failure_message_patterns.empty() || std::ranges::any_of(patterns, is_in_message));
}

Match FirstMatch(const std::vector<Rule>& rules, const std::vector<Child>& failed,
                 std::vector<Remark>& remarks) {
  for (const Rule& rule : rules) {
    const std::vector<MessagePattern> patterns = PatternsOf(rule, remarks);
    const Child* job =
        FirstFailed(failed, [&](const Child& child) { return Matches(rule, patterns, child); });
    if (job != nullptr) return {.rule = &rule, .job = job};
  }
  return {.rule = nullptr, .job = FirstFailed(failed, [](const Child&) { return true; })};
}

std::string WithCause(std::string_view text, const Child& job) {
  return fmt::format("{} (first failed job: {})", text, job.name());
}

FailureDecision Fail(std::string_view reason, std::string_view text, const Child& job) {
  return {
      .action = Action::kFail, .reason = std::string(reason), .message = WithCause(text, job), .remarks = {}};
}

FailureDecision Restart(const ActionInfo& info, const Match& match, const kube::JobSet& jobset) {
  const std::int32_t max = jobset.spec.failure_policy->max_restarts;
  if (info.counts_towards_max && jobset.status.restarts_count_towards_max >= max) {
    return Fail("ReachedMaxRestarts",
                fmt::format("jobset failed because it has used all of its {} restarts", max), *match.job);
  }
  FailureDecision decision{.action = Action::kRestart,
                           .counts_towards_max = info.counts_towards_max,
                           .reason = {},
                           .message = WithCause("jobset is restarting because of a failed job", *match.job),
                           .remarks = {}};
  decision.reason = match.rule == nullptr ? "DefaultFailurePolicy" : "FailurePolicy_" + match.rule->name;
  if (info.only_that_job) {
    decision.remarks.push_back(
        {.reason = "RestartJobNotSupported",
         .message = fmt::format(
             "failure policy rule {} asks to restart job {} alone, which is not supported yet: the "
             "whole jobset restarts",
             match.rule->name, match.job->name())});
  }
  decision.remarks.push_back(
      {.reason =
           std::string(info.counts_towards_max ? "RestartJobSet" : "RestartJobSetAndIgnoreMaxRestarts") +
           "FailurePolicyAction",
       .message = decision.message});
  return decision;
}

}  // namespace

FailureDecision DecideOnFailure(const kube::JobSet& jobset, const Children& children) {
  CADRE_ASSERT(!children.failed.empty(), "DecideOnFailure without a failed Job");
  if (!jobset.spec.failure_policy) {
    const Child* first = FirstFailed(children.failed, [](const Child&) { return true; });
    return Fail("FailedJobs", "jobset failed because a job failed", *first);
  }
  std::vector<Remark> remarks;
  const Match match = FirstMatch(jobset.spec.failure_policy->rules, children.failed, remarks);
  const ActionInfo& info = InfoOf(match.rule == nullptr ? "RestartJobSet" : match.rule->action);
  FailureDecision decision =
      info.action == Action::kFail
          ? Fail("FailJobSetFailurePolicyAction",
                 fmt::format("jobset failed as failure policy rule {} asks for", match.rule->name),
                 *match.job)
          : Restart(info, match, jobset);
  decision.remarks.insert(decision.remarks.begin(), remarks.begin(), remarks.end());
  return decision;
}

}  // namespace cadre::jobset

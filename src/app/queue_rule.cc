#include "app/queue_rule.h"

#include <CLI/CLI.hpp>

namespace cadre::app {

void AddQueueRule(CLI::App& command, std::string& rule) {
  command
      .add_option("--queue", rule,
                  "easy: others pass a group that has no room if they do not delay it; greedy: whoever fits "
                  "starts; fifo: nobody passes")
      ->check(CLI::IsMember({"easy", "greedy", "fifo"}))
      ->type_name("RULE")
      ->capture_default_str();
}

queue::Backfill BackfillOf(std::string_view rule) {
  if (rule == "greedy") return queue::Backfill::kGreedy;
  return rule == "fifo" ? queue::Backfill::kFifo : queue::Backfill::kEasy;
}

}  // namespace cadre::app

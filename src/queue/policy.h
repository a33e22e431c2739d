// What a group that has no room may keep others from: docs/queue.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace cadre::queue {

enum class Backfill : std::uint8_t {
  kGreedy,  // whoever fits starts; large groups may wait for ever
  kFifo,    // nobody passes a group that waits for room
  kEasy,    // others pass the first that waits for room if they do not delay it
};

struct Policy {
  Backfill backfill = Backfill::kEasy;
  // A run that should be over is believed to end at any moment for so long; then nobody knows when it ends.
  Duration overrun_grace{60'000};
  // Where nobody knows when the head can start: how long it waits until the room of the nodes nearest to free
  // is kept for it, whatever that leaves idle; and the share of the cluster, of any resource that it asks
  // for, that may be kept idle for it before that. 0: none.
  Duration patience{600'000};
  double idle_share = 0.25;
  // In one step so many searches are made for groups behind the head; the others have their turn in the next.
  std::size_t most_searches = 1'000;
};

}  // namespace cadre::queue

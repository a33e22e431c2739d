// The canonical text of a machine's step: what went in and what came out. Equal texts, equal behaviour.
#pragma once

#include <span>
#include <string>

#include "drive/machine.h"

namespace cadre::app {

// Appends one line per event ("<") and per effect (">"), after a line with the time.
void AppendTrace(Time now, std::span<const drive::Event> events, const drive::StepResult& result,
                 std::string& out);

}  // namespace cadre::app

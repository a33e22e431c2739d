// What the program needs to know of the terminal it may run in. Only commands use it; nothing that decides
// does.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace cadre::app {

bool StdoutIsTerminal();
bool StderrIsTerminal();
// Columns of the terminal on stdout; 0 when there is none.
std::size_t TerminalWidth();
// NO_COLOR is not set, and TERM is not "dumb".
bool TerminalHasColours();

// A line on stderr that is rewritten a few times a second, and taken away at the end. Does nothing without a
// terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool on);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `text` is only called when it is time to show it.
  void Show(const std::function<std::string()>& text);

 private:
  using RealClock = std::chrono::steady_clock;
  const bool on_;
  bool shown_ = false;
  RealClock::time_point next_;
};

}  // namespace cadre::app

#include "app/terminal.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace cadre::app {

namespace {

// Short runs show nothing.
constexpr auto kFirst = std::chrono::milliseconds(500);
constexpr auto kInterval = std::chrono::milliseconds(200);

}  // namespace

bool StdoutIsTerminal() {
  return isatty(STDOUT_FILENO) != 0;
}

bool StderrIsTerminal() {
  return isatty(STDERR_FILENO) != 0;
}

std::size_t TerminalWidth() {
  winsize size{};
  if (!StdoutIsTerminal() || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

bool TerminalHasColours() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') &&
         (term == nullptr || std::string_view(term) != "dumb");
}

ProgressLine::ProgressLine(bool on) : on_(on), next_(RealClock::now() + kFirst) {}

void ProgressLine::Show(const std::function<std::string()>& text) {
  if (!on_) return;
  const RealClock::time_point now = RealClock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  fmt::print(stderr, "\r\x1b[K{}", text());
  std::fflush(stderr);
}

ProgressLine::~ProgressLine() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace cadre::app

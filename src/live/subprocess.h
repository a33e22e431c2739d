// Runs a program to its end and takes what it prints: never through a shell, never with a terminal.
//
// The child gets an empty standard input, no other descriptor of ours, default signals, and a process group
// of its own that is killed whole when the bound on time or output is reached or when the caller gives up.
// Thread rule: RunProgram blocks; call it from a thread that may wait. Calls do not disturb each other.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cadre::live {

struct Program {
  std::string command;  // a path, or a name that is looked for in PATH
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  // over the environment of this process
  std::chrono::milliseconds longest_run{60'000};
  std::size_t most_output_bytes = std::size_t{1} << 20U;  // of standard output
};

// How a program ended that could be started.
struct ProgramEnd {
  int exit_code = 0;   // 128 + the signal's number when a signal ended it, as shells say it
  std::string output;  // standard output
  std::string errors;  // the first 4 KiB of standard error; the rest is read and dropped
};

struct ProgramError {
  bool not_found = false;  // there is no such program, or it may not be run
  std::string message;     // without the name of the program
};

// An error when it could not be started, took too long, printed too much, or `stop` was requested.
std::expected<ProgramEnd, ProgramError> RunProgram(const Program& program, const std::stop_token& stop);

}  // namespace cadre::live

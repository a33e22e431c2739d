#include "live/subprocess.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "base/time.h"

namespace cadre::live {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t kMostErrorBytes = 4096;

std::string Why(int code) {
  return std::generic_category().message(code);
}

std::unexpected<ProgramError> Failed(std::string message) {
  return std::unexpected(ProgramError{.not_found = false, .message = std::move(message)});
}

// Owns a descriptor.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  ~Fd() { Close(); }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;

  int get() const { return fd_; }
  bool IsOpen() const { return fd_ >= 0; }
  void Set(int fd) {
    Close();
    fd_ = fd;
  }
  void Close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

struct Pipe {
  Fd read;
  Fd write;

  bool Open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read.Set(ends[0]);
    write.Set(ends[1]);
    return ::fcntl(read.get(), F_SETFL, O_NONBLOCK) == 0;
  }
};

// "A=1" entries: ours, those of `added` instead of ours where both have a name.
std::vector<std::string> Environment(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    bool replaced = false;
    for (const auto& variable : added)
      replaced = replaced || variable.first == name;
    if (!replaced) entries.emplace_back(*entry);
  }
  for (std::size_t i = 0; i < added.size(); ++i) {
    bool again = false;  // the last of a name wins
    for (std::size_t j = i + 1; j < added.size(); ++j)
      again = again || added[j].first == added[i].first;
    if (!again) entries.push_back(added[i].first + "=" + added[i].second);
  }
  return entries;
}

// What execve wants: pointers into `texts`, then null.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// posix_spawn's settings.
class SpawnSettings {
 public:
  SpawnSettings(int output, int errors) {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_init(&actions_);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    int failed = ::posix_spawnattr_setsigmask(&attributes_, &none);
    failed |= ::posix_spawnattr_setsigdefault(&attributes_, &all);
    failed |= ::posix_spawnattr_setpgroup(&attributes_, 0);
    failed |= ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    failed |= ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    failed |= ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    failed |= ::posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    failed |= ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    CADRE_ASSERT(failed == 0, "posix_spawn does not take its settings");
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawnattr_t* attributes() const { return &attributes_; }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
  posix_spawnattr_t attributes_{};
  posix_spawn_file_actions_t actions_{};
};

// A started program, killed with its group and reaped at the end of this object's life.
class Child {
 public:
  Child() = default;
  ~Child() {
    if (pid_ <= 0) return;
    KillGroup();
    Reap();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // 0, or the error of posix_spawn.
  int Start(const Program& program, Pipe& output, Pipe& errors) {
    std::vector<std::string> args{program.command};
    args.insert(args.end(), program.args.begin(), program.args.end());
    std::vector<std::string> env = Environment(program.env);
    const SpawnSettings settings(output.write.get(), errors.write.get());
    pid_t pid = 0;
    const int failed = ::posix_spawnp(&pid, program.command.c_str(), settings.actions(),
                                      settings.attributes(), Pointers(args).data(), Pointers(env).data());
    output.write.Close();
    errors.write.Close();
    if (failed != 0) return failed;
    pid_ = pid;
    // Not pidfd_open: glibc 2.36 declares it for C only.
    ended_.Set(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    return ended_.IsOpen() ? 0 : errno;
  }

  // Readable once the program has ended.
  int ended_fd() const { return ended_.get(); }

  // What it started itself may still hold our pipes: nobody waits for that.
  void KillGroup() const { ::kill(-pid_, SIGKILL); }

  int Reap() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t pid_ = 0;
  Fd ended_;
};

// Reads what is there into `out`, keeping at most `most` bytes of it; closes at the end of the stream.
// Returns how many bytes were read.
std::size_t Drain(Fd& from, std::size_t most, std::string& out) {
  std::size_t total = 0;
  std::array<char, 4096> block{};
  while (from.IsOpen()) {
    const ssize_t got = ::read(from.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0) {
      from.Close();
      break;
    }
    const auto size = static_cast<std::size_t>(got);
    out.append(block.data(), std::min(size, most - std::min(most, out.size())));
    total += size;
    if (total > most + kMostErrorBytes) break;  // a program that prints without end does not keep us here
  }
  return total;
}

class Run {
 public:
  Run(const Program& program, const std::stop_token& stop)
      : program_(program), stop_(stop), deadline_(Steady::now() + program.longest_run) {}

  std::expected<ProgramEnd, ProgramError> Go() {
    wake_.Set(::eventfd(0, EFD_CLOEXEC));
    if (!wake_.IsOpen() || !output_.Open() || !errors_.Open())
      return Failed(fmt::format("no pipe for its output: {}", Why(errno)));
    if (const int failed = child_.Start(program_, output_, errors_); failed != 0) {
      return std::unexpected(ProgramError{.not_found = failed == ENOENT || failed == EACCES,
                                          .message = fmt::format("cannot be started: {}", Why(failed))});
    }
    const std::stop_callback on_stop(stop_, [this] { Wake(); });
    while (!has_ended_) {
      if (std::optional<ProgramError> error = WaitForMore()) return std::unexpected(*std::move(error));
    }
    ProgramEnd end;
    child_.KillGroup();
    end.exit_code = child_.Reap();
    end.output = std::move(out_);
    end.errors = std::move(err_);
    return end;
  }

 private:
  void Wake() const {
    const std::uint64_t one = 1;
    while (::write(wake_.get(), &one, sizeof one) < 0 && errno == EINTR) {
    }
  }

  std::optional<ProgramError> WaitForMore() {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Steady::now());
    if (left.count() <= 0) {
      return ProgramError{.message = fmt::format("did not end within {} and was killed",
                                                 FormatDuration(program_.longest_run))};
    }
    // A closed descriptor is -1, which poll leaves out.
    std::array<pollfd, 4> waits = {{{.fd = output_.read.get(), .events = POLLIN, .revents = 0},
                                    {.fd = errors_.read.get(), .events = POLLIN, .revents = 0},
                                    {.fd = child_.ended_fd(), .events = POLLIN, .revents = 0},
                                    {.fd = wake_.get(), .events = POLLIN, .revents = 0}}};
    if (::poll(waits.data(), waits.size(), static_cast<int>(left.count())) < 0 && errno != EINTR)
      return ProgramError{.message = fmt::format("cannot be waited for: {}", Why(errno))};
    if (stop_.stop_requested()) return ProgramError{.message = "was stopped: it is no longer needed"};
    has_ended_ = waits[2].revents != 0;  // looked at before the last reading, which then gets everything
    printed_ += Drain(output_.read, program_.most_output_bytes, out_);
    Drain(errors_.read, kMostErrorBytes, err_);
    if (printed_ > program_.most_output_bytes) {
      return ProgramError{
          .message = fmt::format("printed more than {} bytes and was killed", program_.most_output_bytes)};
    }
    return std::nullopt;
  }

  const Program& program_;
  std::stop_token stop_;
  Steady::time_point deadline_;
  Fd wake_;
  Pipe output_;
  Pipe errors_;
  Child child_;
  std::string out_;
  std::string err_;
  std::size_t printed_ = 0;
  bool has_ended_ = false;
};

}  // namespace

std::expected<ProgramEnd, ProgramError> RunProgram(const Program& program, const std::stop_token& stop) {
  return Run(program, stop).Go();
}

}  // namespace cadre::live

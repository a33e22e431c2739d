#include "sim/run_time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "sim/shell_words.h"

namespace cadre::sim {

namespace {

constexpr int kDeepestScript = 16;  // nesting of loops, groups and sh -c that is followed
constexpr std::int64_t kMostIterations = 1'000'000'000;

bool IsOneOf(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// --- Adding up

RunTime Then(const RunTime& a, const RunTime& b) {
  if (a.forever || b.forever) return {{}, true};
  if (!a.known || !b.known) return a.known ? a : b;
  return {*a.known + *b.known, false};
}

RunTime Times(const RunTime& once, std::int64_t count) {
  if (once.forever || !once.known) return once;
  if (once.known->count() > 0 && count > Duration::max().count() / once.known->count()) return {{}, true};
  return {*once.known * count, false};
}

// --- Numbers in scripts

std::optional<std::int64_t> Integer(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || std::abs(number) > kMostIterations)
    return {};
  return number;
}

// One operand of sleep: "30", "1.5", "10s", "2m", "inf". Source: the manual page of GNU sleep.
RunTime SleepOperand(std::string_view text) {
  if (text == "infinity" || text == "inf") return {{}, true};
  double factor = 1;
  if (!text.empty()) {
    constexpr std::array<std::pair<char, double>, 4> kUnits = {
        {{'s', 1}, {'m', 60}, {'h', 3'600}, {'d', 86'400}}};
    const auto* unit = std::ranges::find(kUnits, text.back(), &std::pair<char, double>::first);
    if (unit != kUnits.end()) {
      factor = unit->second;
      text.remove_suffix(1);
    }
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0 || !std::isfinite(number))
    return {};
  const double milliseconds = number * factor * 1'000;
  if (milliseconds > 1e17) return {{}, true};
  return {Duration(std::llround(milliseconds)), false};
}

// How many words "{1..10}", "$(seq 10)", "$(seq 1 10)" or "`seq 1 2 9`" expand to. A plain word is one.
std::optional<std::int64_t> ExpandedCount(std::string_view word) {
  if (word.starts_with('{') && word.ends_with('}')) {
    const std::size_t dots = word.find("..");
    if (dots == std::string_view::npos) return 1 + std::ranges::count(word, ',');
    const auto from = Integer(word.substr(1, dots - 1));
    const auto to = Integer(word.substr(dots + 2, word.size() - dots - 3));
    if (!from || !to) return {};
    return std::abs(*to - *from) + 1;
  }
  if (word.find('$') == std::string_view::npos && word.find('`') == std::string_view::npos) return 1;
  const std::string_view inner = word.starts_with("$(") && word.ends_with(')')
                                     ? word.substr(2, word.size() - 3)
                                 : word.starts_with('`') ? word.substr(1)
                                                         : std::string_view();
  const std::vector<ShellToken> words = SplitShell(inner);
  if (words.size() < 2 || words.size() > 4 || words[0].text != "seq") return {};
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto number = Integer(words[i].text);
    if (!number) return {};
    numbers.push_back(*number);
  }
  const std::int64_t first = numbers.size() > 1 ? numbers.front() : 1;
  const std::int64_t step = numbers.size() > 2 ? numbers[1] : 1;
  if (step == 0) return {};
  return std::max<std::int64_t>(0, (numbers.back() - first) / step + 1);
}

// --- Scripts

RunTime ScriptRunTime(std::string_view script, int depth);
RunTime SimpleCommand(std::span<const std::string_view> words, int depth);

class Script {
 public:
  Script(std::vector<ShellToken> tokens, int depth) : tokens_(std::move(tokens)), depth_(depth) {}

  RunTime Run() {
    RunTime total;
    while (at_ < tokens_.size()) {
      const std::size_t before = at_;
      total = Then(total, List({}));
      if (at_ == before) ++at_;  // a stray closing word
    }
    return total;
  }

 private:
  using Words = std::span<const std::string_view>;

  bool AtKeyword(std::string_view word) const {
    return at_ < tokens_.size() && !tokens_[at_].quoted && tokens_[at_].text == word;
  }
  bool AtOneOf(Words words) const {
    return std::ranges::any_of(words, [&](std::string_view word) { return AtKeyword(word); });
  }

  // Commands until one of `ends` (not consumed) or the end of the script.
  RunTime List(Words ends) {
    static constexpr std::array<std::string_view, 10> kClosing = {"done", "fi", "esac", "then", "else",
                                                                  "elif", "do", ")",    "}",    ""};
    RunTime total;
    if (++depth_ > kDeepestScript) at_ = tokens_.size();
    while (at_ < tokens_.size() && !AtOneOf(ends) && !AtOneOf(kClosing))
      total = Then(total, Command());
    --depth_;
    return total;
  }

  RunTime Command() {
    if (AtKeyword("while") || AtKeyword("until")) return Loop();
    if (AtKeyword("for")) return For();
    if (AtKeyword("if")) return Skipped("fi");
    if (AtKeyword("case")) return Skipped("esac");
    if (AtKeyword("(")) return Group(")");
    if (AtKeyword("{")) return Group("}");
    if (tokens_[at_].separator) {
      ++at_;
      return {};
    }
    std::vector<std::string_view> words;
    while (at_ < tokens_.size() && !tokens_[at_].separator)
      words.push_back(tokens_[at_++].text);
    if (words.front() == "break" || words.front() == "exit" || words.front() == "return") leaves_ = true;
    return SimpleCommand(words, depth_);
  }

  RunTime Group(std::string_view close) {
    ++at_;
    const std::array<std::string_view, 1> ends = {close};
    const RunTime inner = List(ends);
    if (AtKeyword(close)) ++at_;
    return inner;
  }

  // A branch that may or may not be taken: its sleeps do not count, its ways out of a loop do.
  RunTime Skipped(std::string_view close) {
    int open = 0;
    const std::string_view opening = tokens_[at_].text;
    for (; at_ < tokens_.size(); ++at_) {
      if (AtKeyword("break") || AtKeyword("exit") || AtKeyword("return")) leaves_ = true;
      if (tokens_[at_].text == opening && !tokens_[at_].quoted) ++open;
      if (AtKeyword(close) && --open == 0) break;
    }
    if (at_ < tokens_.size()) ++at_;
    return {};
  }

  RunTime Body() {
    static constexpr std::array<std::string_view, 1> kDone = {"done"};
    if (AtKeyword("do")) ++at_;
    const RunTime body = List(kDone);
    if (AtKeyword("done")) ++at_;
    return body;
  }

  RunTime Loop() {
    const bool is_until = AtKeyword("until");
    ++at_;
    std::vector<std::string_view> condition;
    for (; at_ < tokens_.size() && !AtKeyword("do"); ++at_) {
      if (!tokens_[at_].separator) condition.push_back(tokens_[at_].text);
    }
    const bool left_before = std::exchange(leaves_, false);
    Body();  // how long one turn takes does not matter: there is either no end or an unknown number of turns
    const bool has_way_out = leaves_;
    leaves_ = leaves_ || left_before;
    const bool always = condition.size() == 1 &&
                        (is_until ? condition[0] == "false" : condition[0] == "true" || condition[0] == ":");
    if (always && !has_way_out) return {{}, true};
    return {};
  }

  RunTime For() {
    std::int64_t count = 0;
    bool known = true;
    for (at_ += 2; at_ < tokens_.size() && !AtKeyword("do"); ++at_) {
      if (AtKeyword("in")) continue;
      if (tokens_[at_].text == "(") known = false;  // for ((;;))
      if (tokens_[at_].separator || !known) continue;
      const std::optional<std::int64_t> words = ExpandedCount(tokens_[at_].text);
      known = words.has_value();
      count += words.value_or(0);
    }
    const RunTime body = Body();
    return known ? Times(body, count) : RunTime{};
  }

  std::vector<ShellToken> tokens_;
  std::size_t at_ = 0;
  int depth_;
  bool leaves_ = false;  // a way out of the loop at hand was seen
};

RunTime ScriptRunTime(std::string_view script, int depth) {
  if (depth > kDeepestScript) return {};
  return Script(SplitShell(script), depth).Run();
}

RunTime Sleep(std::span<const std::string_view> operands) {
  RunTime total;
  for (const std::string_view operand : operands) {
    if (operand.starts_with('>') || operand.starts_with("2>")) break;
    const RunTime time = SleepOperand(operand);
    if (!time.known && !time.forever) return {};
    total = Then(total, time);
  }
  return total;
}

// argv, or the words of one command in a script.
RunTime SimpleCommand(std::span<const std::string_view> words, int depth) {
  static constexpr std::array<std::string_view, 7> kPrefixes = {"exec", "command", "time", "nohup",
                                                                "sudo", "!",       "tini"};
  static constexpr std::array<std::string_view, 5> kShells = {"sh", "bash", "dash", "ash", "zsh"};
  while (!words.empty() && (IsOneOf(BaseName(words[0]), kPrefixes) || words[0] == "--"))
    words = words.subspan(1);
  if (words.empty()) return {};
  const std::string_view program = BaseName(words[0]);
  if (program == "sleep") return Sleep(words.subspan(1));
  if (!IsOneOf(program, kShells)) return {};
  for (std::size_t i = 1; i + 1 < words.size() && words[i].starts_with('-'); ++i) {
    if (words[i].ends_with('c')) return ScriptRunTime(words[i + 1], depth + 1);
  }
  return {};
}

// --- Pods

std::vector<std::string> Argv(const kube::Container& container) {
  std::vector<std::string> argv = container.command;
  argv.insert(argv.end(), container.args.begin(), container.args.end());
  return argv;
}

RunTime ContainersRunTime(const kube::PodSpec& spec) {
  RunTime init;
  for (const kube::Container& container : spec.init_containers) {
    if (!container.restart_always) init = Then(init, CommandRunTime(Argv(container)));
  }
  RunTime longest;
  for (const kube::Container& container : spec.containers) {
    const RunTime run = CommandRunTime(Argv(container));
    if (run.forever) return {{}, true};
    if (run.known && (!longest.known || *run.known > *longest.known)) longest = run;
  }
  if (init.forever) return {{}, true};
  return longest.known ? Then(init, longest) : RunTime{};
}

const std::string* Annotation(const kube::Pod& pod, std::string_view key) {
  const auto found = pod.metadata.annotations.find(key);
  return found == pod.metadata.annotations.end() ? nullptr : &found->second;
}

std::optional<int> SmallNumber(const kube::Pod& pod, std::string_view key, int most, RunPlan& plan) {
  const std::string* text = Annotation(pod, key);
  if (text == nullptr) return std::nullopt;
  const std::optional<std::int64_t> number = Integer(*text);
  if (number && *number >= 0 && *number <= most) return static_cast<int>(*number);
  plan.complaints.push_back(
      fmt::format("Pod {}: annotation {}: \"{}\" is ignored, expected a number from 0 to {}",
                  kube::KeyOf(pod.metadata), key, *text, most));
  return std::nullopt;
}

}  // namespace

RunTime CommandRunTime(std::span<const std::string> argv) {
  const std::vector<std::string_view> words(argv.begin(), argv.end());
  return SimpleCommand(words, 0);
}

RunTime ScriptRunTime(std::string_view script) {
  return ScriptRunTime(script, 0);
}

RunPlan RunPlanOf(const kube::Pod& pod) {
  RunPlan plan;
  plan.fail_attempts = SmallNumber(pod, kFailAttemptsAnnotation, 1'000'000, plan);
  plan.exit_code = SmallNumber(pod, kExitCodeAnnotation, 255, plan).value_or(plan.fail_attempts ? 1 : 0);
  if (const std::string* text = Annotation(pod, kDurationAnnotation)) {
    if (const Result<Duration> duration = ParseDuration(*text)) {
      plan.run.known = *duration;
      plan.told = true;
      return plan;
    }
    plan.complaints.push_back(
        fmt::format("Pod {}: annotation {}: \"{}\" is ignored, expected e.g. 39s or 1h30m",
                    kube::KeyOf(pod.metadata), kDurationAnnotation, *text));
  }
  plan.run = ContainersRunTime(pod.spec);
  return plan;
}

}  // namespace cadre::sim

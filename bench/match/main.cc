// match_bench CASE SIZE [BUDGET_S]: runs one case and prints its rows, one JSON object a line
// (bench/match/run).
#include <array>
#include <charconv>
#include <string_view>

#include <fmt/core.h>

#include "bench/match/cases.h"

namespace {

using cadre::bench::CaseInput;

struct Case {
  std::string_view name;
  bool (*run)(const CaseInput&);
};
constexpr std::array<Case, 7> kCases = {{{"state", cadre::bench::RunState},
                                         {"churn", cadre::bench::RunChurn},
                                         {"gangs", cadre::bench::RunGangs},
                                         {"rebuild", cadre::bench::RunRebuild},
                                         {"pods", cadre::bench::RunPods},
                                         {"shapes", cadre::bench::RunShapes},
                                         {"pending", cadre::bench::RunPending}}};

template <class Number>
bool Read(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number > 0;
}

}  // namespace

int main(int count, char** arguments) {
  CaseInput input;
  if (count < 3 || count > 4 || !Read(arguments[2], input.size) ||
      (count == 4 && !Read(arguments[3], input.budget_s))) {
    fmt::print(stderr, "usage: match_bench CASE SIZE [BUDGET_S]\n");
    return 2;
  }
  input.name = arguments[1];
  for (const Case& one : kCases) {
    if (one.name == input.name) return one.run(input) ? 0 : 1;
  }
  if (cadre::bench::IsRequest(input.name)) return cadre::bench::RunRequest(input) ? 0 : 1;
  fmt::print(stderr, "match_bench: there is no case \"{}\"\n", input.name);
  return 2;
}

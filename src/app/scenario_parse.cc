#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cluster_file.h"
#include "app/scenario_checks.h"
#include "app/scenario_parser.h"
#include "base/text.h"
#include "kube/manifest.h"

namespace cadre::app {

namespace {

// ---- counts and expectations

std::optional<std::int64_t> ParseWhole(std::string_view text) {
  text = Trim(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<Counts> ReadCounts(const Field& field) {
  Counts counts;
  if (field.value().is_string()) {
    const std::string_view text = field.value().get_string();
    std::optional<std::int64_t>& bound = text.starts_with("<=") ? counts.at_most : counts.at_least;
    if (text.starts_with("<=") || text.starts_with(">=")) bound = ParseWhole(text.substr(2));
    if (!bound) return field.Expected("a number, a list of numbers, \"<= N\" or \">= N\"");
    return counts;
  }
  for (const Field& item : field.Items()) {
    CADRE_TRY(const std::int64_t number, item.Number());
    counts.one_of.push_back(number);
  }
  if (counts.one_of.empty()) return field.Expected("a number, a list of numbers, \"<= N\" or \">= N\"");
  return counts;
}

Result<Check> ReadCheck(const CheckRule& rule, const Field& field, const ScenarioNames& names) {
  Check check;
  check.rule = &rule;
  switch (rule.wants) {
    case Wants::kCounts: {
      CADRE_TRY(check.counts, ReadCounts(field));
      break;
    }
    case Wants::kTexts:
      for (const Field& item : field.Items()) {
        CADRE_TRY(std::string text, item.Text());
        check.texts.push_back(std::move(text));
      }
      break;
    case Wants::kRef: {
      CADRE_TRY(check.other, names.Ref(field));
      break;
    }
    case Wants::kPartial: {
      CADRE_TRY(check.partial, field.Map());
      break;
    }
  }
  return check;
}

Result<std::vector<Subject>> ReadSubjects(const Field& of, const ScenarioNames& names) {
  if (of.value() == "scheduler") return std::vector<Subject>{Program::kScheduler};
  if (of.value() == "controllers") return std::vector<Subject>{Program::kControllers};
  CADRE_TRY(const std::vector<ObjectRef> refs, names.Refs(of));
  return std::vector<Subject>(refs.begin(), refs.end());
}

bool Applies(const CheckRule& rule, const Subject& of) {
  const auto* ref = std::get_if<ObjectRef>(&of);
  if (rule.about == About::kProgram || ref == nullptr) return rule.about == About::kProgram && ref == nullptr;
  if (rule.name == "node-pods") return ref->kind == kube::Kind::kNode;
  return rule.about == About::kObject || ref->kind != kube::Kind::kNode;
}

// When an expectation is looked at: `at` (a time, or "end"), or `from` and `until` of an invariant.
Result<void> ReadWhen(const Field& entry, bool always, Expectation& expectation) {
  if (always) {
    if (const std::optional<Field> from = entry.Get("from"); from) {
      CADRE_TRY(expectation.from, from->Length());
    }
    if (const std::optional<Field> until = entry.Get("until"); until) {
      CADRE_TRY(expectation.until, until->Length());
    }
    return {};
  }
  CADRE_TRY(const Field at, entry.Need("at"));
  if (at.value() == "end") return {};
  CADRE_TRY(expectation.at, at.Length());
  return {};
}

// ---- the whole file

class ScenarioReader {
 public:
  ScenarioReader(std::string_view text, std::string file) : text_(text) {
    scenario_.file = std::move(file);
    scenario_.name = std::filesystem::path(scenario_.file).stem().string();
  }

  Result<Scenario> Read() {
    const std::vector<kube::YamlChunk> chunks = kube::SplitYaml(text_);
    if (chunks.empty()) return Err("{}: the file is empty; expected a scenario", scenario_.file);
    source_ = {.file = scenario_.file, .chunk = chunks.front()};
    auto header = kube::ParseYaml(chunks.front());
    if (!header) return Err("{}:{}: {}", scenario_.file, header.error().line, header.error().message);
    if (!header->has_value())
      return Err("{}:1: the first document is empty; expected a scenario", scenario_.file);
    header_ = std::move((*header)->value);
    const Field root(source_, header_);
    CADRE_TRY_VOID(
        root.Only({"scenario", "report", "why", "cluster", "options", "steps", "expect", "always"}));
    CADRE_TRY_VOID(ReadDocuments(chunks.front().text.size()));
    CADRE_TRY_VOID(ReadTexts(root));
    CADRE_TRY_VOID(ReadOptions(root));
    CADRE_TRY_VOID(ReadCluster(root));
    CADRE_TRY_VOID(ReadSteps(root));
    CADRE_TRY_VOID(ReadExpectations(root));
    return std::move(scenario_);
  }

 private:
  // The manifests after the header. Its lines are kept, empty, so that those of the manifests count from the
  // file's start.
  Result<void> ReadDocuments(std::size_t header_size) {
    const std::string_view header = text_.substr(0, header_size);
    std::string rest(static_cast<std::size_t>(std::ranges::count(header, '\n')), '\n');
    rest += text_.substr(header_size);
    kube::Manifests manifests;
    kube::LoadText(rest, scenario_.file, manifests);
    if (!manifests.problems.empty()) {
      kube::Problem problem = manifests.problems.front();
      ++problem.source.document;  // the header is the first
      return Err("{}", kube::ToString(problem));
    }
    if (!manifests.unknown.empty()) {
      const kube::UnknownObject& unknown = manifests.unknown.front();
      return Err("{}:{}: {} {} is a kind that Cadre does not know", scenario_.file, unknown.source.line,
                 unknown.api_version, unknown.kind);
    }
    for (const kube::LoadedObject& loaded : manifests.objects)
      names_.AddDocument(loaded.object);
    return {};
  }

  Result<void> ReadTexts(const Field& root) {
    CADRE_TRY(const Field sentence, root.Need("scenario"));
    CADRE_TRY(scenario_.sentence, sentence.Text());
    CADRE_TRY(const Field report, root.Need("report"));
    CADRE_TRY(scenario_.report, report.Text());
    return {};
  }

  Result<void> ReadOptions(const Field& root) {
    const std::optional<Field> options = root.Get("options");
    if (!options) return {};
    const std::pair<std::string_view, Duration*> lengths[] = {
        {"default-run-time", &scenario_.default_run_time},
        {"pod-start-delay", &scenario_.pod_start_delay},
        {"pod-stop-delay", &scenario_.pod_stop_delay},
        {"api-latency", &scenario_.api_latency},
        {"watch-lag", &scenario_.watch_lag},
        {"limit", &scenario_.limit},
    };
    std::vector<std::string_view> known = {"respect-scheduler-name"};
    for (const auto& [key, length] : lengths)
      known.push_back(key);
    CADRE_TRY_VOID(options->Only(known));
    for (const auto& [key, length] : lengths) {
      if (const std::optional<Field> field = options->Get(key); field) {
        CADRE_TRY(*length, field->Length());
      }
    }
    if (const std::optional<Field> field = options->Get("respect-scheduler-name"); field) {
      CADRE_TRY(scenario_.respect_scheduler_name, field->Flag());
    }
    return {};
  }

  Result<void> ReadCluster(const Field& root) {
    CADRE_TRY(const Field cluster, root.Need("cluster"));
    CADRE_TRY_VOID(cluster.Only({"nodes", "objects"}));
    if (const std::optional<Field> nodes = cluster.Get("nodes"); nodes) {
      Result<std::vector<kube::Object>> made = NodesFromDescription(json::object{{"nodes", nodes->value()}});
      if (!made) return cluster.Complain(made.error().message);
      scenario_.cluster = *std::move(made);
    }
    if (const std::optional<Field> objects = cluster.Get("objects"); objects) {
      for (const Field& item : objects->Items()) {
        CADRE_TRY(const ObjectRef ref, names_.Ref(item));
        const kube::Object* document = names_.FindDocument(ref);
        if (document == nullptr)
          return item.Complain(fmt::format("the file has no manifest of {}", ToString(ref)));
        scenario_.cluster.push_back(*document);
      }
    }
    for (const kube::Object& object : scenario_.cluster)
      names_.AddMade(object);
    return {};
  }

  Result<void> ReadSteps(const Field& root) {
    const std::optional<Field> steps = root.Get("steps");
    if (!steps) return {};
    for (const Field& entry : steps->Items()) {
      CADRE_TRY(const std::vector<Step> read, ReadStep(entry, names_));
      scenario_.steps.insert(scenario_.steps.end(), read.begin(), read.end());
    }
    for (const Step& step : scenario_.steps) {
      if (const auto* create = std::get_if<CreateAct>(&step.act); create != nullptr)
        names_.AddMade(create->object);
    }
    return {};
  }

  Result<void> ReadExpectations(const Field& root) {
    CADRE_TRY(const Field expect, root.Need("expect"));
    CADRE_TRY(scenario_.expect, ReadList(expect, false));
    if (const std::optional<Field> always = root.Get("always"); always) {
      CADRE_TRY(scenario_.always, ReadList(*always, true));
    }
    return {};
  }

  Result<std::vector<Expectation>> ReadList(const Field& list, bool always) {
    std::vector<Expectation> all;
    for (const Field& entry : list.Items()) {
      CADRE_TRY(const std::vector<Expectation> read, ReadExpectation(entry, names_, always));
      all.insert(all.end(), read.begin(), read.end());
    }
    return all;
  }

  std::string_view text_;
  FieldSource source_;
  json::value header_;
  ScenarioNames names_;
  Scenario scenario_;
};

}  // namespace

bool Counts::Holds(std::int64_t count) const {
  if (!one_of.empty()) return std::ranges::find(one_of, count) != one_of.end();
  return (!at_least || count >= *at_least) && (!at_most || count <= *at_most);
}

std::string Counts::Text() const {
  if (!one_of.empty()) return fmt::format("{}", fmt::join(one_of, " or "));
  return at_least ? fmt::format(">= {}", *at_least) : fmt::format("<= {}", at_most.value_or(0));
}

Result<std::vector<Expectation>> ReadExpectation(const Field& entry, const ScenarioNames& names,
                                                 bool always) {
  Expectation expectation;
  std::vector<std::string_view> known = {"of"};
  known.insert(known.end(), always ? std::initializer_list<std::string_view>{"from", "until"}
                                   : std::initializer_list<std::string_view>{"at"});
  for (const CheckRule& rule : CheckRules())
    known.push_back(rule.name);
  CADRE_TRY_VOID(entry.Only(known));
  CADRE_TRY_VOID(ReadWhen(entry, always, expectation));
  CADRE_TRY(const Field of, entry.Need("of"));
  CADRE_TRY(const std::vector<Subject> subjects, ReadSubjects(of, names));
  for (const CheckRule& rule : CheckRules()) {
    const std::optional<Field> field = entry.Get(rule.name);
    if (!field) continue;
    if (!Applies(rule, subjects.front())) return field->Complain("cannot be asked of this subject");
    CADRE_TRY(Check check, ReadCheck(rule, *field, names));
    expectation.checks.push_back(std::move(check));
  }
  if (expectation.checks.empty()) return entry.Complain("asks nothing");
  expectation.line = entry.Line();
  std::vector<Expectation> all;
  for (const Subject& subject : subjects) {
    expectation.of = subject;
    all.push_back(expectation);
  }
  return all;
}

Result<Scenario> ParseScenario(std::string_view text, std::string file) {
  return ScenarioReader(text, std::move(file)).Read();
}

Result<Scenario> LoadScenario(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return Err("{}: the file cannot be read", path);
  return ParseScenario(text.view(), path);
}

}  // namespace cadre::app

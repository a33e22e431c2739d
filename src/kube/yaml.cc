#include "kube/yaml.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <optional>
#include <spanstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace cadre::kube {
namespace json = boost::json;
namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

// A document that aliases expand to more values than this is an attack, not a manifest.
constexpr std::size_t kMostAliasedValues = 1'000'000;

// Thrown out of yaml-cpp's callbacks and caught in ParseYaml; never leaves this file.
struct Refused : std::exception {
  Refused(const YAML::Mark& mark, std::string text) : line(mark.line), message(std::move(text)) {}
  const char* what() const noexcept override { return message.c_str(); }
  int line;  // 0-based
  std::string message;
};

struct Extent {
  std::size_t values = 1;  // itself included
  std::size_t depth = 0;   // containers on the longest way down, itself included
};

Extent Measure(const json::value& value) {
  Extent extent{.values = 1, .depth = value.is_structured() ? 1U : 0U};
  const auto take = [&](const json::value& part) {
    const Extent inner = Measure(part);
    extent.values += inner.values;
    extent.depth = std::max(extent.depth, inner.depth + 1);
  };
  if (const json::object* object = value.if_object()) {
    for (const auto& field : *object)
      take(field.value());
  } else if (const json::array* array = value.if_array()) {
    for (const json::value& item : *array)
      take(item);
  }
  return extent;
}

[[noreturn]] void RefuseDepth(const YAML::Mark& mark) {
  throw Refused(mark, fmt::format("nested more than {} levels deep", kMaxNesting));
}

json::value ResolvePlain(const YAML::Mark& mark, const std::string& text) {
  json::value value = ResolvePlainScalar(text);
  const double* number = value.if_double();
  if (number != nullptr && !std::isfinite(*number))
    throw Refused(mark, "infinity and NaN are no values in JSON");
  return value;
}

json::value ResolveScalar(const YAML::Mark& mark, std::string_view tag, const std::string& text) {
  if (tag == "?" || tag.empty()) return ResolvePlain(mark, text);
  if (tag == "!") return json::string(text);
  if (!tag.starts_with(kTagPrefix))
    return json::string(text);  // a tag of its own says nothing about the type
  tag.remove_prefix(kTagPrefix.size());
  if (tag == "str" || tag == "timestamp") return json::string(text);
  json::value value = ResolvePlain(mark, text);
  const bool fits = (tag == "int" && (value.is_int64() || value.is_uint64())) ||
                    (tag == "float" && value.is_number()) || (tag == "bool" && value.is_bool()) ||
                    (tag == "null" && value.is_null());
  if (!fits) throw Refused(mark, fmt::format("\"{}\" is tagged !!{}, which it is not", text, tag));
  return value;
}

// A key is always a string in JSON; numbers and booleans are written out (an unquoted `on:` becomes "true").
std::string KeyText(const YAML::Mark& mark, const json::value& key) {
  switch (key.kind()) {
    case json::kind::string:
      return std::string(std::string_view(key.get_string()));
    case json::kind::bool_:
      return key.get_bool() ? "true" : "false";
    case json::kind::int64:
      return fmt::format("{}", key.get_int64());
    case json::kind::uint64:
      return fmt::format("{}", key.get_uint64());
    case json::kind::double_:
      return fmt::format("{}", key.get_double());
    case json::kind::null:
      throw Refused(mark, "a key is empty or null: expected a name");
    default:
      throw Refused(mark, "a key is a map or a list: expected a name");
  }
}

// Builds the JSON tree bottom up from yaml-cpp's events.
class Builder : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { Put(mark, anchor, nullptr); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw Refused(mark, "an alias (*name) refers to a value that it is part of");
    if (stack_.size() + found->second.extent.depth > kMaxNesting) RefuseDepth(mark);
    aliased_values_ += found->second.extent.values;
    if (aliased_values_ > kMostAliasedValues) {
      throw Refused(mark, fmt::format("aliases expand to more than {} values", kMostAliasedValues));
    }
    Put(mark, YAML::NullAnchor, found->second.value);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const bool plain = tag == "?" || tag.empty();
    if (plain && text == "<<" && ExpectsKey()) {
      stack_.back().merge_next = true;
      return;
    }
    Put(mark, anchor, ResolveScalar(mark, tag, text));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, anchor, json::array());
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, anchor, json::object());
  }
  void OnMapEnd() override { Close(); }

  // The finished document, or nothing when there was none.
  std::optional<YamlDocument> Take(std::size_t first_line) {
    if (!root_) return std::nullopt;
    YamlDocument document{.value = *std::move(root_), .line = root_line_ + first_line, .item_lines = {}};
    for (const std::size_t line : item_lines_)
      document.item_lines.push_back(line + first_line);
    return document;
  }

 private:
  struct Level {
    YAML::Mark mark;
    YAML::anchor_t anchor;
    json::value value;  // array or object
    std::optional<std::string> key;
    bool merge_next = false;          // the next value belongs to `<<`
    std::vector<json::value> merges;  // applied when the map ends: its own keys win
  };
  struct Anchored {
    json::value value;
    Extent extent;
  };

  bool ExpectsKey() const {
    return !stack_.empty() && stack_.back().value.is_object() && !stack_.back().key &&
           !stack_.back().merge_next;
  }

  void Open(const YAML::Mark& mark, YAML::anchor_t anchor, json::value empty) {
    if (stack_.size() >= kMaxNesting) RefuseDepth(mark);
    stack_.push_back(Level{mark, anchor, std::move(empty), std::nullopt, false, {}});
  }

  void Close() {
    Level level = std::move(stack_.back());
    stack_.pop_back();
    for (const json::value& merge : level.merges)
      ApplyMerge(level.mark, merge, level.value.get_object());
    Put(level.mark, level.anchor, std::move(level.value));
  }

  static void ApplyMerge(const YAML::Mark& mark, const json::value& merge, json::object& into) {
    if (const json::array* list = merge.if_array()) {
      for (const json::value& item : *list) {  // earlier ones win
        if (!item.is_object()) throw Refused(mark, "<< merges a list that holds something other than maps");
        ApplyMerge(mark, item, into);
      }
    } else if (const json::object* object = merge.if_object()) {
      for (const auto& field : *object)
        into.emplace(field.key(), field.value());
    } else {
      throw Refused(mark, "<< merges something other than a map or a list of maps");
    }
  }

  void Put(const YAML::Mark& mark, YAML::anchor_t anchor, json::value value) {
    if (anchor != YAML::NullAnchor) {
      const Extent extent = Measure(value);
      anchors_.insert_or_assign(anchor, Anchored{value, extent});
    }
    if (stack_.empty()) {
      root_line_ = static_cast<std::size_t>(mark.line);
      root_ = std::move(value);
      return;
    }
    Level& top = stack_.back();
    if (json::array* array = top.value.if_array()) {
      if (stack_.size() == 2 && stack_.front().key == "items")
        item_lines_.push_back(static_cast<std::size_t>(mark.line));
      array->push_back(std::move(value));
    } else if (top.merge_next) {
      top.merge_next = false;
      top.merges.push_back(std::move(value));
    } else if (!top.key) {
      top.key = KeyText(mark, value);
      if (top.value.get_object().contains(*top.key)) {
        throw Refused(mark, fmt::format("the key \"{}\" is there twice in one map: remove one", *top.key));
      }
    } else {
      top.value.get_object().emplace(*top.key, std::move(value));
      top.key.reset();
    }
  }

  std::vector<Level> stack_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t aliased_values_ = 0;
  std::optional<json::value> root_;
  std::size_t root_line_ = 0;
  std::vector<std::size_t> item_lines_;
};

// Refuses whatever comes.
class OneDocumentOnly : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    throw Refused(mark, "not valid YAML: there is something left that belongs to nothing before it");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}
};

// Follows one path through the events and remembers the line of the deepest step that it found.
class LineFinder : public YAML::EventHandler {
 public:
  LineFinder(const FieldPath& path, std::size_t first_line) : path_(path), first_line_(first_line) {}

  std::size_t line() const { return best_line_ + first_line_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { Value(mark, {}); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { Value(mark, {}); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& text) override {
    Value(mark, text);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    Open(mark, true);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    Open(mark, false);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Level {
    bool list = false;
    bool on_path = false;
    bool key_next = true;        // maps: the next value is a key
    bool wanted_next = false;    // maps: the key before was the one of the path
    std::size_t next_index = 0;  // lists
  };

  bool IsPathStep(const Level& level) const {
    if (!level.on_path || on_path_ > path_.size()) return false;
    const PathStep& step = path_[on_path_ - 1];
    return level.list ? step.index == level.next_index : !level.key_next && level.wanted_next;
  }

  // True when the value that comes now is the next step of the path; keys count as values here.
  bool Arrive(const YAML::Mark& mark) {
    if (levels_.empty()) {
      best_line_ = static_cast<std::size_t>(mark.line);
      return true;
    }
    const bool step = IsPathStep(levels_.back());
    if (step) best_line_ = static_cast<std::size_t>(mark.line);
    return step;
  }

  void Passed(std::string_view key) {
    if (levels_.empty()) return;
    Level& level = levels_.back();
    if (level.list) {
      ++level.next_index;
      return;
    }
    if (level.key_next && level.on_path && on_path_ <= path_.size()) {
      level.wanted_next = !path_[on_path_ - 1].index && path_[on_path_ - 1].key == key;
    }
    level.key_next = !level.key_next;
  }

  void Value(const YAML::Mark& mark, std::string_view text) {
    Arrive(mark);
    Passed(text);
  }

  void Open(const YAML::Mark& mark, bool list) {
    const bool step = Arrive(mark);
    if (step) ++on_path_;
    levels_.push_back(Level{.list = list, .on_path = step});
  }

  void Close() {
    if (levels_.back().on_path) --on_path_;
    levels_.pop_back();
    Passed({});
  }

  const FieldPath& path_;
  std::size_t first_line_;
  std::vector<Level> levels_;
  std::size_t on_path_ = 0;  // how many open levels the path goes through
  std::size_t best_line_ = 0;
};

// A last line that is not ended counts as ended, as for kubectl: a block scalar there keeps its newline.
class ChunkStream {
 public:
  explicit ChunkStream(std::string_view text)
      : ended_(text.ends_with('\n') ? std::string() : std::string(text) + '\n'),
        stream_(ended_.empty() ? std::span<const char>(text.data(), text.size())
                               : std::span<const char>(ended_.data(), ended_.size())) {}

  std::istream& stream() { return stream_; }

 private:
  std::string ended_;  // a copy, only where one is needed
  std::ispanstream stream_;
};

std::size_t LineAt(const YamlChunk& chunk, int zero_based) {
  return chunk.first_line + static_cast<std::size_t>(std::max(zero_based, 0));
}

}  // namespace

std::expected<std::optional<YamlDocument>, YamlError> ParseYaml(const YamlChunk& chunk) {
  try {
    ChunkStream text(chunk.text);
    YAML::Parser parser(text.stream());
    Builder builder;
    if (!parser.HandleNextDocument(builder)) return std::nullopt;
    // A chunk has one document. yaml-cpp stops without a word where it cannot go on (and would find empty
    // documents there for ever), so anything it finds after the first is an error.
    OneDocumentOnly nothing_more;
    parser.HandleNextDocument(nothing_more);
    std::optional<YamlDocument> document = builder.Take(chunk.first_line);
    if (document && document->value.is_null()) document.reset();
    return document;
  } catch (const Refused& refused) {
    return std::unexpected(YamlError{LineAt(chunk, refused.line), refused.message});
  } catch (const YAML::Exception& error) {
    return std::unexpected(YamlError{LineAt(chunk, error.mark.line), "not valid YAML: " + error.msg});
  }
}

std::size_t LineOf(const YamlChunk& chunk, const FieldPath& path) {
  LineFinder finder(path, chunk.first_line);
  try {
    ChunkStream text(chunk.text);
    YAML::Parser parser(text.stream());
    parser.HandleNextDocument(finder);
  } catch (const YAML::Exception&) {
    return finder.line();  // the part up to the error has been followed; its best line stands
  }
  return finder.line();
}

}  // namespace cadre::kube

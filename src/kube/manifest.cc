#include "kube/manifest.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <system_error>

#include <boost/json/stream_parser.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "base/utf8.h"
#include "kube/gzip.h"
#include "kube/manifest_values.h"
#include "kube/yaml.h"

namespace cadre::kube {
namespace json = boost::json;
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLargestText = std::size_t{1} << 30;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kSpace = " \t\r\n";

void AddProblem(const Source& source, std::string message, Manifests& out) {
  out.problems.push_back({.source = source, .field = {}, .message = std::move(message)});
}

std::size_t CountLines(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// Marks that no valid YAML of Kubernetes objects needs outside of strings; "${X}" may just be a shell script
// in one.
bool LooksLikeTemplate(std::string_view text) {
  return text.find("{{") != std::string_view::npos || text.find("{%") != std::string_view::npos;
}

bool StartsJson(std::string_view text) {
  if (text.starts_with("{{") || text.starts_with("{%")) return false;  // a template of YAML
  return text.starts_with('{') || text.starts_with('[');
}

bool LooksLikeUtf16(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}

// Where JSON documents follow each other, or are followed by YAML ones.
class TextLoader {
 public:
  TextLoader(std::string_view text, std::string file, Manifests& out) : text_(text), out_(out) {
    source_.file = std::move(file);
    source_.document = 1;
  }

  void Load() {
    constexpr std::size_t kLookedAt = 4096;
    if (!LooksLikeUtf16(text_) && text_.substr(0, kLookedAt).find('\0') != std::string_view::npos) {
      AddProblem(source_, "this is not UTF-8 text: expected YAML, JSON, or either of them gzipped", out_);
      return;
    }
    if (const auto checked = CheckUtf8(text_); !checked)
      return AddProblem({.file = source_.file, .document = 0, .line = checked.error().line},
                        checked.error().message, out_);
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
    while (true) {
      const std::size_t start = text_.find_first_not_of(kSpace);
      if (start == std::string_view::npos) return;
      if (!StartsJson(text_.substr(start))) break;
      if (!LoadJsonDocument(start)) return;
    }
    LoadYaml();
  }

 private:
  void Skip(std::size_t count) {
    lines_before_ += CountLines(text_.substr(0, count));
    text_.remove_prefix(count);
  }

  // Loads the JSON document that starts at `start`; false when it is broken, and where it ends is not known
  // then.
  bool LoadJsonDocument(std::size_t start) {
    Skip(start);
    json::parse_options options;
    options.max_depth = kMaxNesting;
    json::stream_parser parser({}, options);
    json::error_code error;
    const std::size_t used = parser.write_some(text_.data(), text_.size(), error);
    if (!error && !parser.done()) parser.finish(error);
    if (error) {
      Source source = source_;
      source.line = lines_before_ + 1 + CountLines(text_.substr(0, used));
      const bool is_template = LooksLikeTemplate(text_);
      AddProblem(source,
                 fmt::format("not valid JSON: {}{}{}", error.message(), is_template ? "; " : "",
                             is_template ? kTemplateHint : ""),
                 out_);
      return false;
    }
    ParsedDocument document{.value = parser.release(), .source = source_};
    document.source.line = 0;
    document.has_placeholders = LooksLikeTemplate(text_.substr(0, used));
    AddDocument(std::move(document), out_);
    ++source_.document;
    Skip(used);
    return true;
  }

  void LoadYaml() {
    for (YamlChunk chunk : SplitYaml(text_)) {
      chunk.first_line += lines_before_;
      std::expected<std::optional<YamlDocument>, YamlError> document = ParseYaml(chunk);
      if (!document) {
        Source source = source_;
        source.line = document.error().line;
        AddProblem(source, YamlProblem(chunk, document.error()), out_);
        ++source_.document;
        continue;
      }
      if (*document) AddYaml(chunk, **std::move(document));
    }
  }

  static std::string YamlProblem(const YamlChunk& chunk, const YamlError& error) {
    if (!LooksLikeTemplate(chunk.text)) return error.message;
    return fmt::format("{} ({})", kTemplateHint, error.message);
  }

  void AddYaml(const YamlChunk& chunk, YamlDocument yaml) {
    ParsedDocument document{
        .value = std::move(yaml.value), .source = source_, .item_lines = std::move(yaml.item_lines)};
    document.source.line = yaml.line;
    document.line_of = [&chunk](const FieldPath& path) { return LineOf(chunk, path); };
    document.has_placeholders = HasPlaceholder(chunk.text);
    AddDocument(std::move(document), out_);
    ++source_.document;
  }

  std::string_view text_;  // what is left
  Manifests& out_;
  Source source_;
  std::size_t lines_before_ = 0;  // of the file, before text_
};

bool IsManifestName(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json" || extension == ".gz";
}

std::string ReadAll(std::istream& stream) {
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void LoadFile(const fs::path& path, Manifests& out) {
  const Source source{.file = path.string(), .document = 0, .line = 0};
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > kLargestText) {
    return AddProblem(
        source, fmt::format("the file is larger than {}", FormatBytes(std::int64_t{kLargestText})), out);
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return AddProblem(source, "cannot be opened: check that it exists and can be read", out);
  const std::string text = ReadAll(stream);
  if (stream.bad()) return AddProblem(source, "cannot be read to its end", out);
  LoadText(text, path.string(), out);
}

void LoadFolder(const fs::path& folder, Manifests& out) {
  const Source source{.file = folder.string(), .document = 0, .line = 0};
  std::vector<fs::path> files;
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->is_regular_file() && IsManifestName(entry->path())) files.push_back(entry->path());
  }
  if (error) AddProblem(source, fmt::format("the folder cannot be read: {}", error.message()), out);
  if (!error && files.empty())
    AddProblem(source, "the folder holds no *.yaml, *.yml, *.json or *.gz file", out);
  std::ranges::sort(files);
  for (const fs::path& file : files)
    LoadFile(file, out);
}

}  // namespace

std::string ToString(const Problem& problem) {
  std::string text = problem.source.file;
  if (problem.source.document != 0) text += fmt::format(": document {}", problem.source.document);
  if (problem.source.line != 0)
    text += fmt::format("{} line {}", problem.source.document != 0 ? "," : ":", problem.source.line);
  if (!problem.field.empty()) text += fmt::format(": {}", problem.field);
  return text + ": " + problem.message;
}

void LoadText(std::string_view text, std::string file, Manifests& out) {
  std::string unpacked;
  if (IsGzip(text)) {
    Result<std::string> result = Gunzip(text, kLargestText);
    if (!result)
      return AddProblem({.file = std::move(file), .document = 0, .line = 0}, result.error().message, out);
    unpacked = *std::move(result);
    text = unpacked;
  }
  if (text.size() > kLargestText) {
    return AddProblem({.file = std::move(file), .document = 0, .line = 0},
                      fmt::format("larger than {}", FormatBytes(std::int64_t{kLargestText})), out);
  }
  TextLoader(text, std::move(file), out).Load();
}

void LoadPath(const fs::path& path, Manifests& out) {
  std::error_code error;
  if (path == "-") {
    LoadText(ReadAll(std::cin), "-", out);
  } else if (fs::is_directory(path, error)) {
    LoadFolder(path, out);
  } else {
    LoadFile(path, out);
  }
}

}  // namespace cadre::kube

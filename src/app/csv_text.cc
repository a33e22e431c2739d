#include "app/csv_text.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace cadre::app {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

char SeparatorOf(std::string_view line) {
  static constexpr auto kSeparators = std::to_array<char>({',', '\t', ';'});
  return *std::max_element(kSeparators.begin(), kSeparators.end(), [&](char a, char b) {
    return std::count(line.begin(), line.end(), a) < std::count(line.begin(), line.end(), b);
  });
}

}  // namespace

CsvText::CsvText(std::string_view text) : rest_(text) {
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  separator_ = SeparatorOf(rest_.substr(0, rest_.find('\n')));
}

std::optional<Result<CsvRecord>> CsvText::Next() {
  while (!rest_.empty() && Trim(rest_.substr(0, rest_.find('\n'))).empty())
    SkipLine();
  if (rest_.empty()) return std::nullopt;
  CsvRecord record{.line = line_, .fields = {}};
  while (true) {
    SkipBlanks();
    if (!rest_.empty() && rest_.front() == '"') {
      Result<std::string> field = QuotedField();
      if (!field) {
        const std::size_t column = record.fields.size() + 1;
        SkipLine();
        return Err("line {}, column {}: {}", record.line, column, field.error().message);
      }
      record.fields.push_back(*std::move(field));
    } else {
      record.fields.push_back(PlainField());
    }
    if (AtLineEnd()) break;
    rest_.remove_prefix(1);  // the separator
  }
  SkipLine();
  return record;
}

// A quote inside of quotes is doubled. Leaves the text at a separator or a line end.
Result<std::string> CsvText::QuotedField() {
  rest_.remove_prefix(1);
  std::string field;
  while (true) {
    const std::size_t quote = rest_.find('"');
    if (quote == std::string_view::npos) {
      rest_ = {};
      return Err("a quote is opened and never closed");
    }
    field += rest_.substr(0, quote);
    line_ += static_cast<std::size_t>(
        std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(quote), '\n'));
    rest_.remove_prefix(quote + 1);
    if (!rest_.starts_with('"')) break;
    field += '"';
    rest_.remove_prefix(1);
  }
  SkipBlanks();
  if (!AtLineEnd() && rest_.front() != separator_) return Err("there is text after a closing quote");
  return field;
}

std::string CsvText::PlainField() {
  std::size_t end = 0;
  while (end < rest_.size() && rest_[end] != separator_ && rest_[end] != '\n')
    ++end;
  const std::string_view field = Trim(rest_.substr(0, end));
  rest_.remove_prefix(end);
  return std::string(field);
}

bool CsvText::AtLineEnd() const {
  return rest_.empty() || rest_.front() == '\n' || rest_.starts_with("\r\n");
}

void CsvText::SkipLine() {
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos) {
    rest_ = {};
    return;
  }
  rest_.remove_prefix(end + 1);
  ++line_;
}

void CsvText::SkipBlanks() {
  while (!rest_.empty() && (rest_.front() == ' ' || (rest_.front() == '\t' && separator_ != '\t')))
    rest_.remove_prefix(1);
}

}  // namespace cadre::app

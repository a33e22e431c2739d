// Splits CSV text into records. Source: RFC 4180; also taken: a byte order mark, LF line ends, blanks around
// fields without quotes, and tab or ';' as the separator.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cadre::app {

struct CsvRecord {
  std::size_t line = 0;  // 1-based, where it starts
  std::vector<std::string> fields;
};

// Hands out the records of a text one by one; empty lines are passed over. The text must outlive it.
class CsvText {
 public:
  // The separator is the one of ',', tab and ';' that the first line has most of.
  explicit CsvText(std::string_view text);

  // The next record; nothing at the end. An error names the line: a quote that is never closed, or text
  // after a closing quote. After the error of a quote that is never closed comes the end.
  std::optional<Result<CsvRecord>> Next();

  char separator() const { return separator_; }

 private:
  Result<std::string> QuotedField();
  std::string PlainField();
  bool AtLineEnd() const;
  void SkipLine();
  void SkipBlanks();

  std::string_view rest_;
  std::size_t line_ = 1;
  char separator_ = ',';
};

}  // namespace cadre::app

// Text for terminals: display width, colours that can be turned off, tables with aligned columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::report {

enum class Colour : std::uint8_t { kNone, kBold, kDim, kGreen, kYellow, kRed, kCyan };

// `text` in this colour when `on`, else unchanged.
std::string Paint(std::string_view text, Colour colour, bool on);

// How many columns UTF-8 text takes: one per character (combining and wide characters are not expected in
// names and messages). Colour sequences must not be in it.
std::size_t DisplayWidth(std::string_view text);

// At most `width` columns: the end is replaced by "…" when it is too long. REQUIRES: width > 0.
std::string Shorten(std::string_view text, std::size_t width);

// Words on lines of at most `width` columns; a word that is longer stands alone. Lines after the first start
// with `indent` spaces (counted in `width`).
std::string Wrap(std::string_view text, std::size_t width, std::size_t indent);

enum class Align : std::uint8_t { kLeft, kRight };

struct Cell {
  std::string text;
  Colour colour = Colour::kNone;
};

// Columns as wide as their widest cell, two spaces between them. The last column is shortened where a line
// would be wider than `width`.
class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // REQUIRES: as many cells as columns.
  void AddRow(std::vector<Cell> cells);
  // One line per row, the titles first; no trailing spaces.
  std::string Render(std::size_t width, bool colours) const;

 private:
  std::vector<std::size_t> Widths(std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace cadre::report

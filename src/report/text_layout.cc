#include "report/text_layout.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace cadre::report {

namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kNarrowestLastColumn = 8;

std::string_view Sequence(Colour colour) {
  switch (colour) {
    case Colour::kNone:
      return "";
    case Colour::kBold:
      return "\x1b[1m";
    case Colour::kDim:
      return "\x1b[2m";
    case Colour::kGreen:
      return "\x1b[32m";
    case Colour::kYellow:
      return "\x1b[33m";
    case Colour::kRed:
      return "\x1b[31m";
    case Colour::kCyan:
      return "\x1b[36m";
  }
  return "";
}

bool StartsCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

void TrimRight(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
}

std::string Padded(const Cell& cell, std::size_t width, Align align, bool colours) {
  const std::string text = Shorten(cell.text, std::max<std::size_t>(width, 1));
  const std::string padding(width - std::min(width, DisplayWidth(text)), ' ');
  const std::string painted = Paint(text, cell.colour, colours);
  return align == Align::kLeft ? painted + padding : padding + painted;
}

}  // namespace

std::string Paint(std::string_view text, Colour colour, bool on) {
  if (!on || colour == Colour::kNone || text.empty()) return std::string(text);
  std::string painted(Sequence(colour));
  painted += text;
  painted += "\x1b[0m";
  return painted;
}

std::size_t DisplayWidth(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), StartsCharacter));
}

std::string Shorten(std::string_view text, std::size_t width) {
  CADRE_ASSERT(width > 0, "Shorten to nothing");
  if (DisplayWidth(text) <= width) return std::string(text);
  std::size_t characters = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (StartsCharacter(text[end]) && ++characters == width) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string Wrap(std::string_view text, std::size_t width, std::size_t indent) {
  const std::size_t margin = std::min(text.find_first_not_of(' '), text.size());
  std::string wrapped(margin, ' ');
  std::size_t column = margin;
  bool first = true;
  for (std::size_t begin = margin; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    const std::size_t length = DisplayWidth(word);
    if (!first && column + 1 + length > width) {
      wrapped += '\n';
      wrapped.append(indent, ' ');
      column = indent;
    } else if (!first) {
      wrapped += ' ';
      ++column;
    }
    first = false;
    wrapped += word;
    column += length;
  }
  return wrapped;
}

void Table::AddRow(std::vector<Cell> cells) {
  CADRE_ASSERT(cells.size() == columns_.size(), "a row with a different number of columns");
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::Widths(std::size_t width) const {
  std::vector<std::size_t> widths;
  widths.reserve(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = DisplayWidth(columns_[i].title);
    for (const auto& row : rows_)
      widest = std::max(widest, DisplayWidth(row[i].text));
    widths.push_back(widest);
  }
  std::size_t before_last = 0;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i)
    before_last += widths[i] + kGap.size();
  const std::size_t room = width > before_last ? width - before_last : 0;
  widths.back() = std::min(widths.back(), std::max(room, kNarrowestLastColumn));
  return widths;
}

std::string Table::Render(std::size_t width, bool colours) const {
  const std::vector<std::size_t> widths = Widths(width);
  std::string text;
  const auto add_line = [&](const std::vector<Cell>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += kGap;
      line += Padded(cells[i], widths[i], columns_[i].align, colours);
    }
    TrimRight(line);
    text += line + '\n';
  };
  std::vector<Cell> titles;
  for (const Column& column : columns_)
    titles.push_back({column.title, Colour::kBold});
  add_line(titles);
  for (const auto& row : rows_)
    add_line(row);
  return text;
}

}  // namespace cadre::report

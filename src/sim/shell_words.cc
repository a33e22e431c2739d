#include "sim/shell_words.h"

namespace cadre::sim {

namespace {

class Splitter {
 public:
  explicit Splitter(std::string_view script) : script_(script) {}

  std::vector<ShellToken> Split() {
    while (at_ < script_.size())
      Next();
    EndWord();
    return std::move(tokens_);
  }

 private:
  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < script_.size() ? script_[at_ + ahead] : '\0';
  }

  void Next() {
    const char c = Peek();
    if (c == '#' && !in_word_) return SkipComment();
    if (c == '\'' || c == '"') return Quoted(c);
    if (c == '\\') return Escaped();
    if (c == '$' && (Peek(1) == '(' || Peek(1) == '{'))
      return Substitution(Peek(1), Peek(1) == '(' ? ')' : '}');
    if (c == '`') return Quoted('`');
    if (c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' || c == ')') return Separator(c);
    if ((c == '{' || c == '}') && !in_word_ &&
        (Peek(1) == ' ' || Peek(1) == '\n' || Peek(1) == ';' || Peek(1) == '\0')) {
      return Separator(c);
    }
    ++at_;
    if (c == ' ' || c == '\t' || c == '\r') return EndWord();
    Add(c);
  }

  void Add(char c) {
    word_.text += c;
    in_word_ = true;
  }

  void SkipComment() {
    while (at_ < script_.size() && Peek() != '\n')
      ++at_;
  }

  void Escaped() {
    if (Peek(1) != '\n' && Peek(1) != '\0') Add(Peek(1));  // a line that goes on
    at_ += 2;
  }

  void Quoted(char quote) {
    in_word_ = true;
    word_.quoted = true;
    if (quote == '`') word_.text += '`';
    ++at_;
    while (at_ < script_.size() && Peek() != quote) {
      if (quote == '"' && Peek() == '\\' && Peek(1) != '\0') ++at_;
      word_.text += Peek();
      ++at_;
    }
    ++at_;
  }

  void Substitution(char open, char close) {
    int depth = 0;
    do {
      const char c = Peek();
      if (c == open) ++depth;
      if (c == close) --depth;
      Add(c);
      ++at_;
    } while (at_ < script_.size() && (depth > 0 || word_.text.back() == '$'));
  }

  void Separator(char c) {
    EndWord();
    const bool twice = (c == '&' || c == '|' || c == ';') && Peek(1) == c;
    at_ += twice ? 2 : 1;
    tokens_.push_back({c == '\n' ? ";" : std::string(twice && c != ';' ? 2 : 1, c), true, false});
  }

  void EndWord() {
    if (in_word_) tokens_.push_back(std::move(word_));
    word_ = {};
    in_word_ = false;
  }

  std::string_view script_;
  std::size_t at_ = 0;
  ShellToken word_;
  bool in_word_ = false;
  std::vector<ShellToken> tokens_;
};

}  // namespace

std::vector<ShellToken> SplitShell(std::string_view script) {
  return Splitter(script).Split();
}

}  // namespace cadre::sim

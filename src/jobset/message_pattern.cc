#include "jobset/message_pattern.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace cadre::jobset {
namespace {

using Op = MessagePattern::Op;
using Step = MessagePattern::Step;
using Code = std::vector<Step>;  // ends by going on after its last step
using Set = std::bitset<256>;

constexpr std::size_t kMostSteps = 10'000;
constexpr int kMostRepeats = 1'000;  // RE2's bound
constexpr int kDeepest = 100;

template <class Predicate>
Set Where(Predicate holds) {
  Set set;
  for (std::size_t c = 0; c < set.size(); ++c)
    set[c] = holds(static_cast<unsigned char>(c));
  return set;
}

bool IsIn(unsigned char c, char low, char high) {
  return c >= static_cast<unsigned char>(low) && c <= static_cast<unsigned char>(high);
}
bool IsLetter(unsigned char c) {
  return IsIn(c, 'a', 'z') || IsIn(c, 'A', 'Z');
}
bool IsDigit(unsigned char c) {
  return IsIn(c, '0', '9');
}
bool IsWord(unsigned char c) {
  return IsLetter(c) || IsDigit(c) || c == '_';
}
bool IsSpace(unsigned char c) {
  return c == ' ' || IsIn(c, '\t', '\n') || c == '\f' || c == '\r';
}
bool IsContinuation(unsigned char c) {
  return c >= 0x80 && c < 0xC0;
}
bool IsPunctuation(unsigned char c) {
  return c > ' ' && c < 0x7F && !IsLetter(c) && !IsDigit(c);
}

struct NamedClass {
  std::string_view name;
  bool (*holds)(unsigned char);
};
constexpr auto kNamedClasses = std::to_array<NamedClass>({
    {"alnum", [](unsigned char c) { return IsLetter(c) || IsDigit(c); }},
    {"alpha", IsLetter},
    {"ascii", [](unsigned char c) { return c < 0x80; }},
    {"blank", [](unsigned char c) { return c == ' ' || c == '\t'; }},
    {"cntrl", [](unsigned char c) { return c < ' ' || c == 0x7F; }},
    {"digit", IsDigit},
    {"graph", [](unsigned char c) { return c > ' ' && c < 0x7F; }},
    {"lower", [](unsigned char c) { return IsIn(c, 'a', 'z'); }},
    {"print", [](unsigned char c) { return c >= ' ' && c < 0x7F; }},
    {"punct", IsPunctuation},
    {"space", [](unsigned char c) { return IsSpace(c) || c == '\v'; }},
    {"upper", [](unsigned char c) { return IsIn(c, 'A', 'Z'); }},
    {"word", IsWord},
    {"xdigit", [](unsigned char c) { return IsDigit(c) || IsIn(c, 'a', 'f') || IsIn(c, 'A', 'F'); }},
});

constexpr auto kPerlClasses =
    std::to_array<std::pair<char, bool (*)(unsigned char)>>({{'d', IsDigit}, {'w', IsWord}, {'s', IsSpace}});
constexpr auto kControls = std::to_array<std::pair<char, char>>(
    {{'a', '\a'}, {'f', '\f'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}, {'v', '\v'}});
constexpr auto kEdges = std::to_array<std::pair<char, Op>>(
    {{'A', Op::kTextStart}, {'z', Op::kTextEnd}, {'b', Op::kWordEdge}, {'B', Op::kNoWordEdge}});

void Append(Code& code, const Code& more) {
  code.insert(code.end(), more.begin(), more.end());
}

Code Single(Set set) {
  return {Step{.op = Op::kByte, .set = set}};
}

Code Edge(Op op) {
  return {Step{.op = op}};
}

int SizeOf(const Code& code) {
  return static_cast<int>(code.size());
}

Code Either(const Code& a, const Code& b) {
  Code code = {Step{.op = Op::kSplit, .x = 1, .y = SizeOf(a) + 2}};
  Append(code, a);
  code.push_back({.op = Op::kJump, .x = SizeOf(b) + 1});
  Append(code, b);
  return code;
}

Code Maybe(const Code& once) {
  Code code = {Step{.op = Op::kSplit, .x = 1, .y = SizeOf(once) + 1}};
  Append(code, once);
  return code;
}

Code AnyNumber(const Code& once) {
  Code code = {Step{.op = Op::kSplit, .x = 1, .y = SizeOf(once) + 2}};
  Append(code, once);
  code.push_back({.op = Op::kJump, .x = -SizeOf(once) - 1});
  return code;
}

// A character of UTF-8: a byte of the set, which holds no continuations, and what continues it.
Code Character(Set first) {
  const Set continuation = Where(IsContinuation);
  Code code = Single(first & ~continuation);
  if ((first & Where([](unsigned char c) { return c >= 0xC0; })).any())
    Append(code, AnyNumber(Single(continuation)));
  return code;
}

struct Repeat {
  int least = 0;
  std::optional<int> most;  // none: without end
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Code> Parse() {
    CADRE_TRY(Code code, Alternatives());
    if (!AtEnd()) return Err("a ) without its (");
    code.push_back({.op = Op::kMatch});
    return code;
  }

 private:
  struct Flags {
    bool fold = false;        // i
    bool dot_is_all = false;  // s
    bool many_lines = false;  // m
  };

  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek() const { return text_[at_]; }
  bool Take(std::string_view what) {
    if (!text_.substr(at_).starts_with(what)) return false;
    at_ += what.size();
    return true;
  }

  Result<Code> Alternatives() {
    if (++depth_ > kDeepest) return Err("more than {} groups in each other", kDeepest);
    CADRE_TRY(Code code, Sequence());
    while (Take("|")) {
      CADRE_TRY(const Code other, Sequence());
      code = Either(code, other);
      if (code.size() > kMostSteps) return TooLong();
    }
    --depth_;
    return code;
  }

  Result<Code> Sequence() {
    Code code;
    while (!AtEnd() && Peek() != '|' && Peek() != ')') {
      CADRE_TRY(const Code atom, Atom());
      CADRE_TRY(const Code repeated, Repeated(atom));
      Append(code, repeated);
      if (code.size() > kMostSteps) return TooLong();
    }
    return code;
  }

  Result<Code> Repeated(const Code& atom) {
    const std::optional<Repeat> repeat = TakeRepeat();
    if (!repeat) return atom;
    Take("?");  // lazy: found is found
    if (const std::size_t after = at_; TakeRepeat()) {
      at_ = after;
      return Err("two repetitions in a row");
    }
    if (std::max(repeat->least, repeat->most.value_or(0)) > kMostRepeats)
      return Err("a repetition of more than {} times", kMostRepeats);
    if (repeat->most && *repeat->most < repeat->least)
      return Err("a repetition whose bounds are the wrong way round");
    if (static_cast<std::size_t>(std::max(repeat->least, repeat->most.value_or(0))) * (atom.size() + 1) >
        kMostSteps)
      return TooLong();
    Code code;
    for (int i = 0; i < repeat->least; ++i)
      Append(code, atom);
    if (!repeat->most) Append(code, AnyNumber(atom));
    for (int i = repeat->least; i < repeat->most.value_or(0); ++i)
      Append(code, Maybe(atom));
    return code;
  }

  std::optional<Repeat> TakeRepeat() {
    if (Take("*")) return Repeat{0, std::nullopt};
    if (Take("+")) return Repeat{1, std::nullopt};
    if (Take("?")) return Repeat{0, 1};
    const std::size_t before = at_;
    if (Take("{")) {
      const std::optional<int> least = TakeNumber();
      std::optional<int> most = least;
      if (least && Take(",")) most = TakeNumber();
      if (least && Take("}")) return Repeat{*least, most};
    }
    at_ = before;  // a { that repeats nothing is a character
    return std::nullopt;
  }

  std::optional<int> TakeNumber() {
    int number = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (error != std::errc{} || number < 0) return std::nullopt;
    at_ = static_cast<std::size_t>(end - text_.data());
    return number;
  }

  Result<Code> Atom() {
    if (Take("(")) return Group();
    if (Take("[")) return Class();
    if (Take("\\")) return Escape();
    if (Take(".")) {
      Set set = ~Set{};
      if (!flags_.dot_is_all) set['\n'] = false;
      return Character(set);
    }
    if (Take("^")) return Edge(flags_.many_lines ? Op::kLineStart : Op::kTextStart);
    if (Take("$")) return Edge(flags_.many_lines ? Op::kLineEnd : Op::kTextEnd);
    if (Peek() == '*' || Peek() == '+' || Peek() == '?') return Err("a {} that repeats nothing", Peek());
    return Literal();
  }

  Result<Code> Literal() {
    Code code = Single(Only(static_cast<unsigned char>(text_[at_++])));
    while (!AtEnd() && IsContinuation(static_cast<unsigned char>(Peek())))
      Append(code, Single(Only(static_cast<unsigned char>(text_[at_++]))));
    return code;
  }

  Set Only(unsigned char c) const {
    Set set;
    set[c] = true;
    return Folded(set);
  }

  Set Folded(Set set) const {
    if (!flags_.fold) return set;
    for (std::size_t c = 'a'; c <= 'z'; ++c)
      set[c] = set[c - 'a' + 'A'] = set[c] || set[c - 'a' + 'A'];
    return set;
  }

  // After the "(".
  Result<Code> Group() {
    const Flags outer = flags_;
    if (Take("?P<") || (text_.substr(at_).starts_with("?<") && !text_.substr(at_).starts_with("?<=") &&
                        !text_.substr(at_).starts_with("?<!") && Take("?<"))) {
      while (!AtEnd() && IsWord(static_cast<unsigned char>(Peek())))
        ++at_;
      if (!Take(">")) return Err("the name of a group without an end");
    } else if (Take("?")) {
      CADRE_TRY_VOID(TakeFlags());
      if (Take(")")) return Code{};  // for what comes after it
      if (!Take(":")) return Err("(? followed by something else than flags, a name or a colon");
    }
    CADRE_TRY(Code code, Alternatives());
    if (!Take(")")) return Err("a ( without its )");
    flags_ = outer;
    return code;
  }

  Result<void> TakeFlags() {
    bool on = true;
    for (; !AtEnd() && Peek() != ':' && Peek() != ')'; ++at_) {
      switch (Peek()) {
        case '-':
          on = false;
          break;
        case 'i':
          flags_.fold = on;
          break;
        case 's':
          flags_.dot_is_all = on;
          break;
        case 'm':
          flags_.many_lines = on;
          break;
        case 'U':
          break;  // greedy or lazy: found is found
        default:
          return Err("(?{}, which RE2 has not or Cadre does not read", Peek());
      }
    }
    return {};
  }

  // After the "\".
  Result<Code> Escape() {
    if (AtEnd()) return Err("a \\ at the end");
    const auto* const edge = std::ranges::find(kEdges, Peek(), &std::pair<char, Op>::first);
    if (edge != kEdges.end()) {
      ++at_;
      return Edge(edge->second);
    }
    CADRE_TRY(const Set set, EscapedSet());
    return Character(set);
  }

  // What an escape stands for, in a class or out of one.
  Result<Set> EscapedSet() {
    if (AtEnd()) return Err("a \\ at the end");
    const char c = text_[at_++];
    for (const auto& [name, holds] : kPerlClasses) {
      if (c == name) return Where(holds);
      if (c == name - 'a' + 'A') return ~Where(holds) & ~Where(IsContinuation);
    }
    for (const auto& [name, control] : kControls) {
      if (c == name) return Only(static_cast<unsigned char>(control));
    }
    if (c == 'x') return Hexadecimal();
    if (IsPunctuation(static_cast<unsigned char>(c))) return Only(static_cast<unsigned char>(c));
    return Err("\\{}, which RE2 has not or Cadre does not read", c);
  }

  Result<Set> Hexadecimal() {
    const bool braced = Take("{");
    const std::string_view rest = text_.substr(at_);
    const std::string_view digits = rest.substr(0, braced ? rest.find('}') : 2);
    unsigned number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    if (error != std::errc{} || end != digits.data() + digits.size() || number >= 0x80 || digits.size() < 2)
      return Err("a \\x that is no character of ASCII");
    at_ += digits.size();
    if (braced && !Take("}")) return Err("a \\x{{ without its }}");
    return Only(static_cast<unsigned char>(number));
  }

  // After the "[".
  Result<Code> Class() {
    const bool negated = Take("^");
    Set set;
    for (bool first = true; first || AtEnd() || Peek() != ']'; first = false) {
      if (AtEnd()) return Err("a [ without its ]");
      CADRE_TRY(const Set part, ClassPart());
      set |= part;
    }
    Take("]");
    set = Folded(set);
    return Character(negated ? ~set : set);
  }

  Result<Set> ClassPart() {
    if (Take("[:")) return NamedSet();
    CADRE_TRY(const Set low, ClassCharacter());
    const std::string_view rest = text_.substr(at_);
    const bool is_range = rest.size() > 1 && rest[0] == '-' && rest[1] != ']' && low.count() == 1;
    if (!is_range) return low;
    ++at_;
    CADRE_TRY(const Set high, ClassCharacter());
    const std::size_t from = low._Find_first();
    const std::size_t to = high._Find_first();
    if (high.count() != 1 || to < from) return Err("a range in [] that has no right end");
    return Where([&](unsigned char c) { return c >= from && c <= to; });
  }

  // Not folded: the ends of a range are not.
  Result<Set> ClassCharacter() {
    const bool fold = std::exchange(flags_.fold, false);
    Result<Set> set = Take("\\") ? EscapedSet() : PlainInClass();
    flags_.fold = fold;
    return set;
  }

  Result<Set> PlainInClass() {
    const auto c = static_cast<unsigned char>(text_[at_++]);
    if (c >= 0x80) return Err("a character beyond ASCII in []");
    return Only(c);
  }

  Result<Set> NamedSet() {
    const bool negated = Take("^");
    const std::size_t end = text_.find(":]", at_);
    const std::string_view name = text_.substr(at_, end == std::string_view::npos ? end : end - at_);
    const auto* const found = std::ranges::find(kNamedClasses, name, &NamedClass::name);
    if (end == std::string_view::npos || found == kNamedClasses.end())
      return Err("[: followed by no name of a class");
    at_ = end + 2;
    const Set set = Where(found->holds);
    return negated ? ~set & ~Where(IsContinuation) : set;
  }

  static std::unexpected<Error> TooLong() { return Err("it is too long: more than {} steps", kMostSteps); }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Flags flags_;
};

// Steps that may be next, each once; follows what takes no byte.
class Threads {
 public:
  Threads(const Code& code, std::string_view text) : code_(code), text_(text), seen_(code.size(), kNever) {}

  // True: the pattern is found.
  bool Enter(int start, std::size_t at, std::vector<int>& waiting) {
    todo_.push_back(start);
    while (!todo_.empty()) {
      const int step = todo_.back();
      todo_.pop_back();
      const auto index = static_cast<std::size_t>(step);
      if (std::exchange(seen_[index], at) == at) continue;
      const Step& what = code_[index];
      if (what.op == Op::kMatch) return true;
      if (what.op == Op::kByte) {
        waiting.push_back(step);
      } else if (Holds(what.op, at)) {
        todo_.push_back(step + what.x);
        if (what.op == Op::kSplit) todo_.push_back(step + what.y);
      }
    }
    return false;
  }

 private:
  static constexpr std::size_t kNever = static_cast<std::size_t>(-1);

  bool Holds(Op op, std::size_t at) const {
    const bool word_before = at > 0 && IsWord(static_cast<unsigned char>(text_[at - 1]));
    const bool word_after = at < text_.size() && IsWord(static_cast<unsigned char>(text_[at]));
    switch (op) {
      case Op::kTextStart:
        return at == 0;
      case Op::kTextEnd:
        return at == text_.size();
      case Op::kLineStart:
        return at == 0 || text_[at - 1] == '\n';
      case Op::kLineEnd:
        return at == text_.size() || text_[at] == '\n';
      case Op::kWordEdge:
        return word_before != word_after;
      case Op::kNoWordEdge:
        return word_before == word_after;
      default:
        return true;
    }
  }

  const Code& code_;
  std::string_view text_;
  std::vector<std::size_t> seen_;  // by step: where in the text it was entered last
  std::vector<int> todo_;
};

}  // namespace

Result<MessagePattern> MessagePattern::Parse(std::string_view pattern) {
  CADRE_TRY(Code code, Parser(pattern).Parse());
  return MessagePattern(std::move(code));
}

bool MessagePattern::IsIn(std::string_view text) const {
  Threads threads(steps_, text);
  std::vector<int> waiting;
  std::vector<int> next;
  for (std::size_t at = 0;; ++at) {
    if (threads.Enter(0, at, waiting)) return true;  // it may begin anywhere
    if (at == text.size()) return false;
    next.clear();
    for (const int step : waiting) {
      const Step& what = steps_[static_cast<std::size_t>(step)];
      if (what.set[static_cast<unsigned char>(text[at])] && threads.Enter(step + what.x, at + 1, next))
        return true;
    }
    std::swap(waiting, next);
  }
}

}  // namespace cadre::jobset

#include "kube/protobuf_reader.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/utf8.h"

namespace cadre::kube {
namespace {

using Wire = protozero::pbf_wire_type;

constexpr std::size_t kLongestShown = 60;

// The instants that RFC 3339 can write: years 1 to 9999, in seconds of 1970.
constexpr std::int64_t kFirstSecond = -62'135'596'800;
constexpr std::int64_t kLastSecond = 253'402'300'799;

std::string Shown(std::string_view text) {
  if (text.size() <= kLongestShown) return Printable(text);
  return Printable(text.substr(0, kLongestShown)) + "...";
}

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
}

// What the JSON of the same object would hold: Go's encoder replaces what is not UTF-8.
void AssignText(std::string_view text, std::string& out) {
  if (IsAscii(text)) {
    out.assign(text);
  } else {
    out = ToValidUtf8(text);
  }
}

struct TimeFields {
  std::optional<std::int64_t> seconds;  // since 1970; metav1.Time has no fraction
};
constexpr auto kTime = FieldsOf<TimeFields>({
    {1, "seconds", [](ProtobufReader& value, TimeFields& out) { value.Read(out.seconds); }},
});

struct TextEntry {
  std::string key;
  std::string value;
};
constexpr auto kTextEntry = FieldsOf<TextEntry>({
    {1, "key", [](ProtobufReader& value, TextEntry& out) { value.Read(out.key); }},
    {2, "value", [](ProtobufReader& value, TextEntry& out) { value.Read(out.value); }},
});

struct AmountEntry {
  std::string key;
  std::string amount = "0";  // the zero value of a Quantity
};
constexpr auto kQuantity = FieldsOf<std::string>({
    {1, "string", [](ProtobufReader& value, std::string& out) { value.Read(out); }},
});
constexpr auto kAmountEntry = FieldsOf<AmountEntry>({
    {1, "key", [](ProtobufReader& value, AmountEntry& out) { value.Read(out.key); }},
    {2, "value", [](ProtobufReader& value, AmountEntry& out) { value.ReadMessage(kQuantity, out.amount); }},
});

// The API server writes maps sorted: the hint makes that linear. Of a key that is there twice the last
// counts.
template <class Map, class Value>
void Set(Map& map, std::string&& key, Value&& value) {
  if (map.empty() || std::prev(map.end())->first < key) {
    map.emplace_hint(map.end(), std::move(key), std::forward<Value>(value));
  } else {
    map.insert_or_assign(std::move(key), std::forward<Value>(value));
  }
}

}  // namespace

bool ProtobufReader::Is(Wire type, std::string_view expected) {
  if (reader_.has_wire_type(type)) return true;
  Fail(fmt::format("not the protobuf of this field: found wire type {}, expected {}",
                   static_cast<unsigned>(reader_.wire_type()), expected));
  return false;
}

void ProtobufReader::Fail(std::string message) {
  if (document_->error) return;
  document_->error.emplace(FieldError{.path = PathOf(*document_), .message = std::move(message)});
}

void ProtobufReader::WrongChoice(std::string_view found, std::span<const std::string_view> all) {
  Fail(fmt::format("found \"{}\", expected {}{}", Shown(found), all.size() > 1 ? "one of " : "",
                   fmt::join(all, ", ")));
}

std::string_view ProtobufReader::ReadBytes() {
  if (!Is(Wire::length_delimited, "2 (a text or a message)")) return {};
  const protozero::data_view view = reader_.get_view();
  return {view.data(), view.size()};
}

void ProtobufReader::Read(std::string& out) {
  AssignText(ReadBytes(), out);
}

void ProtobufReader::Read(bool& out) {
  // Not get_bool: it takes its first byte unseen, which may lie beyond the end.
  if (Is(Wire::varint, "0 (true or false)")) out = reader_.get_uint64() != 0;
}

void ProtobufReader::Read(std::int32_t& out) {
  if (Is(Wire::varint, "0 (a whole number)")) out = reader_.get_int32();
}

void ProtobufReader::Read(std::int64_t& out) {
  if (Is(Wire::varint, "0 (a whole number)")) out = reader_.get_int64();
}

void ProtobufReader::Read(std::optional<Time>& out) {
  TimeFields time;
  ReadMessage(kTime, time);
  if (!time.seconds) return;
  if (*time.seconds < kFirstSecond || *time.seconds > kLastSecond)
    return Fail(fmt::format("found second {}, expected one of the years 1 to 9999", *time.seconds));
  out = Time(std::chrono::seconds(*time.seconds));
}

void ProtobufReader::ReadResourceVersion(std::uint64_t& out) {
  const std::string_view text = ReadBytes();
  if (text.empty()) return;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto parsed = std::from_chars(begin, end, out);
  if (parsed.ec != std::errc() || parsed.ptr != end)
    Fail(fmt::format("found \"{}\", expected a number in quotes", Shown(text)));
}

void ProtobufReader::ReadEntry(StringMap& out) {
  TextEntry entry;
  ReadMessage(kTextEntry, entry);
  Set(out, std::move(entry.key), std::move(entry.value));
}

void ProtobufReader::ReadEntry(ResourceList& out) {
  AmountEntry entry;
  ReadMessage(kAmountEntry, entry);
  if (document_->error) return;
  const Result<std::int64_t> amount = ParseAmount(entry.key, entry.amount);
  if (amount) return Set(out, std::move(entry.key), *amount);
  FieldPath path = PathOf(*document_);
  path.push_back({.key = entry.key, .index = std::nullopt});
  document_->error.emplace(
      FieldError{.path = std::move(path),
                 .message = fmt::format(
                     "found \"{}\", expected {}", Shown(entry.amount),
                     IsExtended(entry.key) ? "a whole number, e.g. 8" : "a quantity, e.g. 500m, 2 or 64Gi")});
}

void ProtobufReader::ReadItem(std::vector<std::string>& out) {
  Read(out.emplace_back());
}

void ProtobufReader::ReadItem(std::vector<std::int32_t>& out) {
  if (!reader_.has_wire_type(Wire::length_delimited)) return Read(out.emplace_back());
  for (const std::int32_t number : reader_.get_packed_int32())
    out.push_back(number);
}

FieldPath PathOf(const ProtobufReader::Document& document) {
  FieldPath path;
  for (std::size_t i = 0; i < document.depth; ++i)
    path.push_back({.key = std::string(document.path.at(i)), .index = std::nullopt});
  return path;
}

std::string DescribeProtobufException(const protozero::exception& exception) {
  return fmt::format("not protobuf, or cut short: {}", exception.what());
}

}  // namespace cadre::kube

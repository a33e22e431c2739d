// What all protobuf decoders read with: a table of fields per message, typed values, and the path of the
// first thing that is wrong.
//
// Internal to src/kube, and the only header that includes protozero. protozero checks lengths by exceptions
// and wire types by assertions: so bytes from outside could abort the program. Here every value is asked for
// its wire type first, and ReadProtobuf turns exceptions into errors: bad bytes are never more than an error.
// Fields without a table entry are skipped, as protobuf wants it. Depth is that of the tables, whatever the
// bytes say. Thread rule: none of its own; it borrows the bytes and must not outlive them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <protozero/pbf_reader.hpp>

#include "base/check.h"
#include "base/time.h"
#include "kube/decode.h"
#include "kube/decode_shared.h"
#include "kube/meta.h"
#include "kube/resources.h"

namespace cadre::kube {

class ProtobufReader;

// One field of a message that is read into a T.
template <class T>
struct ProtobufField {
  std::uint32_t number;
  std::string_view name;  // in JSON: how errors name it
  void (*read)(ProtobufReader&, T&);
};

// The fields of a message that are read. Numbers are below 64.
template <class T, std::size_t kCount>
class ProtobufFields {
 public:
  consteval explicit ProtobufFields(const ProtobufField<T> (&fields)[kCount]) {  // NOLINT(*-avoid-c-arrays)
    for (std::size_t i = 0; i < kCount; ++i) {
      fields_.at(i) = fields[i];
      places_.at(fields[i].number) = static_cast<std::uint8_t>(i + 1);
    }
  }

  const ProtobufField<T>* Find(std::uint32_t number) const {
    const std::size_t place = number < places_.size() ? places_[number] : 0;
    return place == 0 ? nullptr : &fields_[place - 1];
  }

 private:
  std::array<ProtobufField<T>, kCount> fields_{};
  std::array<std::uint8_t, 64> places_{};  // by number: 1 + the index in fields_, or 0
};

template <class T, std::size_t kCount>
consteval ProtobufFields<T, kCount> FieldsOf(
    const ProtobufField<T> (&fields)[kCount]) {  // NOLINT(*-avoid-c-arrays)
  return ProtobufFields<T, kCount>(fields);
}

class ProtobufReader {
 public:
  // What the readers of one document share.
  struct Document {
    std::array<std::string_view, 24> path{};  // of the value that is being read
    std::size_t depth = 0;
    std::optional<FieldError> error;
  };

  ProtobufReader(std::string_view bytes, Document& document)
      : reader_(bytes.data(), bytes.size()), document_(&document) {}

  // Reads all fields, until the end or the first error. May throw protozero's exceptions.
  template <class T, std::size_t kCount>
  void ReadFields(const ProtobufFields<T, kCount>& fields, T& out);

  // The rest is for the functions of the tables: each reads the current value, once.

  void Read(std::string& out);
  void Read(bool& out);
  void Read(std::int32_t& out);
  void Read(std::int64_t& out);
  void Read(std::optional<std::string>& out) { Read(out.emplace()); }
  void Read(std::optional<std::int32_t>& out) { Read(out.emplace()); }
  void Read(std::optional<std::int64_t>& out) { Read(out.emplace()); }
  void Read(std::optional<Time>& out);            // metav1.Time; its zero value leaves `out` alone
  void ReadResourceVersion(std::uint64_t& out);   // a number in a string, or the empty string
  void ReadEntry(StringMap& out);                 // one entry of a map
  void ReadEntry(ResourceList& out);              // one entry: a Quantity
  void ReadItem(std::vector<std::string>& out);   // one item
  void ReadItem(std::vector<std::int32_t>& out);  // one item, or several that are packed
  std::string_view ReadBytes();  // points into the document; empty where it is something else

  // The empty string is the zero value of every enumeration in the API and counts as absent.
  template <class E>
  void ReadChoice(std::span<const Choice<E>> choices, E& out);

  template <class T, std::size_t kCount>
  void ReadMessage(const ProtobufFields<T, kCount>& fields, T& out);

  // A message that is there counts, even when it is empty: for optional parts of an object.
  template <class T, std::size_t kCount>
  void ReadMessage(const ProtobufFields<T, kCount>& fields, std::optional<T>& out) {
    ReadMessage(fields, out ? *out : out.emplace());
  }

  template <class T, std::size_t kCount>
  void ReadItem(const ProtobufFields<T, kCount>& fields, std::vector<T>& out) {
    ReadMessage(fields, out.emplace_back());
  }

  // Records that the current value is wrong; of several errors the first counts.
  void Fail(std::string message);

 private:
  // Whether the current value has this wire type; otherwise that is recorded.
  bool Is(protozero::pbf_wire_type type, std::string_view expected);
  void WrongChoice(std::string_view found, std::span<const std::string_view> all);

  protozero::pbf_reader reader_;
  Document* document_;
};

// The path of the value at which reading `document` stopped.
FieldPath PathOf(const ProtobufReader::Document& document);

// Why protozero gave up, in words. REQUIRES: called in a handler of protozero::exception.
std::string DescribeProtobufException(const protozero::exception& exception);

// The whole of `bytes` as one message. Never throws.
template <class T, std::size_t kCount>
std::expected<void, FieldError> ReadProtobuf(std::string_view bytes, const ProtobufFields<T, kCount>& fields,
                                             T& out) {
  ProtobufReader::Document document;
  try {
    ProtobufReader(bytes, document).ReadFields(fields, out);
  } catch (const protozero::exception& exception) {
    return std::unexpected(
        FieldError{.path = PathOf(document), .message = DescribeProtobufException(exception)});
  }
  if (document.error) return std::unexpected(*std::move(document.error));
  return {};
}

template <class T, std::size_t kCount>
void ProtobufReader::ReadFields(const ProtobufFields<T, kCount>& fields, T& out) {
  while (!document_->error && reader_.next()) {
    const ProtobufField<T>* field = fields.Find(reader_.tag());
    if (field == nullptr) {
      reader_.skip();
      continue;
    }
    // Not undone by an exception: it then says where that was.
    document_->path.at(document_->depth++) = field->name;
    field->read(*this, out);
    --document_->depth;
  }
}

template <class T, std::size_t kCount>
void ProtobufReader::ReadMessage(const ProtobufFields<T, kCount>& fields, T& out) {
  ProtobufReader(ReadBytes(), *document_).ReadFields(fields, out);
}

template <class E>
void ProtobufReader::ReadChoice(std::span<const Choice<E>> choices, E& out) {
  const std::string_view text = ReadBytes();
  if (text.empty()) return;
  for (const Choice<E>& choice : choices) {
    if (choice.text == text) {
      out = choice.value;
      return;
    }
  }
  std::vector<std::string_view> all;
  for (const Choice<E>& choice : choices)
    all.push_back(choice.text);
  WrongChoice(text, all);
}

}  // namespace cadre::kube

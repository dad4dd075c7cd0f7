// A record as the wire's JSON, without building values in between: what answers with items spend
// their time on. Pages count packed sizes too; one walk does both.
#include "engine/storage/item_codec.h"
#include "engine/storage/packed_size.h"
#include "engine/storage/record_layout.h"
#include "protocol/json_buffer.h"

namespace stator::storage {
namespace {

// PackedValues for those who do not count.
struct Uncounted {
  static void scalar(Type /*type*/, std::string_view /*bytes*/) {}
  static void truth() {}
  static void set(std::size_t /*count*/) {}
  static void set_element(Type /*type*/, std::string_view /*bytes*/) {}
  static void list(std::size_t /*count*/) {}
  static void map(std::size_t /*count*/) {}
};

template <class Values>
class Rendering {
 public:
  Rendering(RecordReader& reader, JsonBuffer& out, Values& values)
      : reader_(reader), out_(out), values_(values) {}

  void append_value(std::size_t depth) {
    switch (reader_.type()) {
      case Type::S:
        return out_.string_between(R"({"S":")", scalar(Type::S), R"("})");
      case Type::N:
        return append_number(R"({"N":")", scalar(Type::N), R"("})");
      case Type::B:
        out_.literal(R"({"B":)");
        out_.base64(scalar(Type::B));
        return out_.character('}');
      case Type::Bool:
        values_.truth();
        if (reader_.truth()) return out_.literal(R"({"BOOL":true})");
        return out_.literal(R"({"BOOL":false})");
      case Type::Null:
        return out_.literal(R"({"NULL":true})");
      case Type::SS:
        out_.literal(R"({"SS":)");
        return append_set(Type::S, [&](std::string_view bytes) { out_.string(bytes); });
      case Type::NS:
        out_.literal(R"({"NS":)");
        return append_set(Type::N,
                          [&](std::string_view bytes) { append_number("\"", bytes, "\""); });
      case Type::BS:
        out_.literal(R"({"BS":)");
        return append_set(Type::B, [&](std::string_view bytes) { out_.base64(bytes); });
      case Type::L:
        out_.literal(R"({"L":)");
        return append_list(below(depth));
      case Type::M:
        out_.literal(R"({"M":)");
        return append_map(below(depth));
    }
  }

 private:
  void append_map(std::size_t depth) {
    reader_.length();
    out_.character('{');
    const std::size_t count = reader_.count();
    values_.map(count);
    for (std::size_t left = count; left > 0; --left) {
      out_.string_between("\"", reader_.bytes(), "\":");
      append_value(depth);
      if (left > 1) out_.character(',');
    }
    out_.literal("}}");
  }

  // The elements behind a count and what is to be done with each.
  template <class AppendElement>
  void append_elements(std::size_t count, AppendElement append_element) {
    out_.character('[');
    for (std::size_t left = count; left > 0; --left) {
      append_element();
      if (left > 1) out_.character(',');
    }
    out_.literal("]}");
  }

  void append_list(std::size_t depth) {
    reader_.length();
    const std::size_t count = reader_.count();
    values_.list(count);
    append_elements(count, [&] { append_value(depth); });
  }

  // `append` puts one element's bytes.
  template <class Append>
  void append_set(Type element, Append append) {
    reader_.length();
    const std::size_t count = reader_.count();
    values_.set(count);
    append_elements(count, [&] {
      const std::string_view bytes = reader_.bytes();
      values_.set_element(element, bytes);
      append(bytes);
    });
  }

  std::string_view scalar(Type type) {
    const std::string_view bytes = reader_.bytes();
    values_.scalar(type, bytes);
    return bytes;
  }

  template <std::size_t N, std::size_t M>
  void append_number(const char (&before)[N], std::string_view bytes, const char (&behind)[M]) {
    if (!out_.number_between(before, bytes, behind)) [[unlikely]]
      throw_damaged_record();
  }

  RecordReader& reader_;
  JsonBuffer& out_;
  Values& values_;
};

// What the sort key holds, from a copy of the reader before its value.
std::size_t scalar_bytes_ahead(RecordReader reader) {
  const Type type = reader.type();
  return PackedValues::scalar_bytes(type, reader.bytes());
}

// `append_value` puts the value of the attribute of that name.
template <class AppendValue>
void append_attributes(std::string_view record, JsonBuffer& buffer, AppendValue append_value) {
  RecordReader reader = attributes_of(record);
  buffer.character('{');
  for (std::size_t left = reader.count(); left > 0; --left) {
    const std::string_view name = reader.bytes();
    buffer.string_between("\"", name, "\":");
    append_value(name, reader);
    if (left > 1) buffer.character(',');
  }
  buffer.character('}');
  if (!reader.at_end()) throw_damaged_record();
}

}  // namespace

// Names and types in quotes make up for half of the bytes.
std::size_t usual_json_bytes(std::string_view record) {
  return record.size() * 3 / 2 + kNumberTextBytesMax;
}

void EncodedItem::append_json(std::string& out) const {
  JsonBuffer buffer(out, usual_json_bytes(record_));
  append_json(buffer);
}

void EncodedItem::append_json(JsonBuffer& buffer) const {
  Uncounted values;
  append_attributes(record_, buffer, [&](std::string_view /*name*/, RecordReader& reader) {
    Rendering(reader, buffer, values).append_value(/*depth=*/1);
  });
}

std::size_t EncodedItem::append_json_of_page(std::string& out, std::string_view sort_key) const {
  PackedValues values;
  std::size_t attributes = 0;
  std::size_t sort_key_bytes = 0;
  JsonBuffer buffer(out, usual_json_bytes(record_));
  append_attributes(record_, buffer, [&](std::string_view name, RecordReader& reader) {
    if (!sort_key.empty() && name == sort_key) {
      sort_key_bytes = scalar_bytes_ahead(reader);
      Uncounted not_a_value;
      Rendering(reader, buffer, not_a_value).append_value(/*depth=*/1);
    } else {
      ++attributes;
      Rendering(reader, buffer, values).append_value(/*depth=*/1);
    }
  });
  return packed_item_bytes(attributes, values.bytes(), sort_key_bytes);
}

}  // namespace stator::storage

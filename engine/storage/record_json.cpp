// A record as the wire's JSON, without building values in between: what answers with items spend
// their time on. Pages count packed sizes too; one walk does both.
#include <string_view>

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

// A member is short when its name is, and its value a string of at most so many bytes or a number.
constexpr std::size_t kShortStringBytesMax = 100;
// The most it is written as, with a comma behind.
constexpr std::size_t kShortMemberRoom =
    std::string_view(R"("":{"S":""},)").size() + kJsonShortBytesMax + kNumberTextBytesMax;
static_assert(kShortStringBytesMax < 0x80 &&
              kShortStringBytesMax + kJsonShortBytesMax <= kNumberTextBytesMax);

template <class Values>
class Rendering {
 public:
  Rendering(RecordReader& reader, JsonBuffer& out, Values& values)
      : reader_(reader), out_(out), values_(values) {}

  // Name and value, and a comma. Nearly all members are short: what they consist of is read and
  // written at once, without going through the reader and the buffer for each piece.
  void append_member(std::size_t depth) {
    const std::string_view in = reader_.rest();
    char* const value_out = write_short_name(in);
    if (value_out == nullptr) {
      out_.string_between("\"", reader_.bytes(), "\":");
    } else {
      const std::string_view value = in.substr(1 + static_cast<unsigned char>(in[0]));
      if (append_short_scalar(value, value_out)) return;
      reader_.go_on_at(value.data());
      out_.written_to(value_out);
    }
    append_value(depth);
    out_.character(',');
  }

 private:
  // Returns the end, where there is room for a short value, of which type and length are there.
  // nullptr: the name is not short, something is to be escaped, or the room is near its end.
  char* write_short_name(std::string_view in) {
    char* const out = out_.room(kShortMemberRoom);
    if (out == nullptr || in.empty()) return nullptr;
    const std::size_t size = static_cast<unsigned char>(in[0]);
    if (size > kJsonShortBytesMax || in.size() < 1 + size + 2) return nullptr;
    if (!copy_plain(out + 1, in.substr(1), size)) return nullptr;
    *out = '"';
    return write_literal(out + 1 + size, "\":");
  }
  // The first `size` bytes of what lies ahead.
  static bool copy_plain(char* out, std::string_view ahead, std::size_t size) {
    if (size > kJsonShortBytesMax || ahead.size() < kJsonShortBytesMax)
      return copy_json_plain(out, ahead.substr(0, size));
    return copy_json_short(out, ahead.data(), size);
  }
  // An element and a comma; false: it is not a short one, and nothing is done.
  bool append_short_element() {
    const std::string_view in = reader_.rest();
    char* const out = out_.room(kShortMemberRoom);
    return out != nullptr && in.size() >= 2 && append_short_scalar(in, out);
  }
  // `in` begins with type and length of the value, `out` is where it goes to.
  bool append_short_scalar(std::string_view in, char* out) {
    const std::size_t size = static_cast<unsigned char>(in[1]);
    if (size > kShortStringBytesMax || size > in.size() - 2) return false;
    const std::string_view bytes(in.data() + 2, size);
    switch (static_cast<TypeCode>(in[0])) {
      case TypeCode::S:
        out = write_literal(out, R"({"S":")");
        if (!copy_plain(out, in.substr(2), size)) return false;
        out += size;
        values_.scalar(Type::S, bytes);
        break;
      case TypeCode::N:
        out = write_number_text_if_valid(write_literal(out, R"({"N":")"), bytes);
        if (out == nullptr) return false;
        values_.scalar(Type::N, bytes);
        break;
      default:
        return false;
    }
    out_.written_to(write_literal(out, "\"},"));
    reader_.go_on_at(bytes.data() + size);
    return true;
  }

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

  void append_map(std::size_t depth) {
    reader_.length();
    out_.character('{');
    const std::size_t count = reader_.count();
    values_.map(count);
    for (std::size_t left = count; left > 0; --left) append_member(depth);
    close(count, '}');
    out_.character('}');
  }

  // Behind elements of which each wrote a comma.
  void close(std::size_t count, char bracket) {
    if (count > 0) return out_.last_character(bracket);
    out_.character(bracket);
  }

  // The elements behind a count and what is to be done with each, a comma included.
  template <class AppendElement>
  void append_elements(std::size_t count, AppendElement append_element) {
    out_.character('[');
    for (std::size_t left = count; left > 0; --left) append_element();
    close(count, ']');
    out_.character('}');
  }

  void append_list(std::size_t depth) {
    reader_.length();
    const std::size_t count = reader_.count();
    values_.list(count);
    append_elements(count, [&] {
      if (append_short_element()) return;
      append_value(depth);
      out_.character(',');
    });
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
      out_.character(',');
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

// `append_attribute` puts the one ahead of the reader, and a comma.
template <class AppendAttribute>
void append_attributes(std::string_view record, JsonBuffer& buffer,
                       AppendAttribute append_attribute) {
  RecordReader reader = attributes_of(record);
  buffer.character('{');
  const std::size_t count = reader.count();
  for (std::size_t left = count; left > 0; --left) append_attribute(reader);
  if (count > 0) {
    buffer.last_character('}');
  } else {
    buffer.character('}');
  }
  if (!reader.at_end()) throw_damaged_record();
}

}  // namespace

// Names and types in quotes make up for half of the bytes.
std::size_t usual_json_bytes(std::string_view record) {
  return record.size() * 3 / 2 + kShortMemberRoom;
}

void EncodedItem::append_json(std::string& out) const {
  JsonBuffer buffer(out, usual_json_bytes(record_));
  append_json(buffer);
}

void EncodedItem::append_json(JsonBuffer& buffer) const {
  Uncounted values;
  append_attributes(record_, buffer, [&](RecordReader& reader) {
    Rendering(reader, buffer, values).append_member(/*depth=*/1);
  });
}

std::size_t EncodedItem::append_json_of_page(std::string& out, std::string_view sort_key) const {
  PackedValues values;
  std::size_t attributes = 0;
  std::size_t sort_key_bytes = 0;
  JsonBuffer buffer(out, usual_json_bytes(record_));
  append_attributes(record_, buffer, [&](RecordReader& reader) {
    RecordReader ahead = reader;
    if (!sort_key.empty() && ahead.bytes() == sort_key) {
      sort_key_bytes = scalar_bytes_ahead(ahead);
      Uncounted not_a_value;
      Rendering(reader, buffer, not_a_value).append_member(/*depth=*/1);
    } else {
      ++attributes;
      Rendering(reader, buffer, values).append_member(/*depth=*/1);
    }
  });
  return packed_item_bytes(attributes, values.bytes(), sort_key_bytes);
}

}  // namespace stator::storage

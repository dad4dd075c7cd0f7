// Writes a record as the wire's JSON, without building values: the main cost of responses with
// items. Pages count packed sizes too; one walk does both.
#include <string_view>

#include "engine/storage/records/item_codec.h"
#include "engine/storage/records/packed_size.h"
#include "engine/storage/records/record_layout.h"
#include "protocol/json/json_buffer.h"

namespace stator::storage {
namespace {

// PackedValues for callers that do not count.
struct Uncounted {
  static void scalar(Type /*type*/, std::string_view /*bytes*/) {}
  static void truth() {}
  static void set(std::size_t /*count*/) {}
  static void set_element(Type /*type*/, std::string_view /*bytes*/) {}
  static void list(std::size_t /*count*/) {}
  static void map(std::size_t /*count*/) {}
};

// A member is short if its name is, and its value is a string of at most this size or another
// scalar except binary.
constexpr std::size_t kShortStringBytesMax = 100;
// Maximum size of a short member's JSON, with the comma after it.
constexpr std::size_t kShortMemberRoom =
    std::string_view(R"("":{"NULL":true},)").size() + kJsonShortBytesMax + kNumberTextBytesMax;
static_assert(kShortStringBytesMax < 0x80 &&
              kShortStringBytesMax + kJsonShortBytesMax <= kNumberTextBytesMax);
// Bytes of a short member that are read without checking each piece: name, type, the value's
// length, and as much of the value as a short name.
constexpr std::size_t kShortValueAhead = 2 + kJsonShortBytesMax;
constexpr std::size_t kShortMemberAhead = 1 + kJsonShortBytesMax + kShortValueAhead;

// Read and write positions of a run of short members. No other code has these pointers, so they
// stay in registers.
struct Place {
  std::size_t ahead() const { return static_cast<std::size_t>(in_end - in); }
  // Bytes from the beginning of `bytes` to the end.
  std::size_t ahead_of(std::string_view bytes) const {
    return static_cast<std::size_t>(in_end - bytes.data());
  }
  std::size_t room() const { return static_cast<std::size_t>(out_end - out); }
  // Moves both positions.
  bool go_on(const char* in_done, char* out_done) {
    in = in_done;
    out = out_done;
    return true;
  }

  const char* in;
  const char* in_end;
  char* out;
  char* out_end;
};

template <class Values>
class Rendering {
 public:
  Rendering(RecordReader& reader, JsonBuffer& out, Values& values)
      : reader_(reader), out_(out), values_(values) {}

  // Writes `count` members in brackets. If `is_apart(rest)` is true for the next one,
  // `append_apart` must write it, with a comma.
  template <class IsApart, class AppendApart>
  void append_members(std::size_t count, std::size_t depth, IsApart is_apart,
                      AppendApart append_apart) {
    out_.character('{');
    for (std::size_t left = count;; --left) {
      bool has_name = false;
      left = append_run(left, [&](Place& at) {
        return !is_apart({at.in, at.in_end}) && append_short_member(at, has_name);
      });
      if (left == 0) break;
      if (has_name) {
        append_value(depth);
        out_.character(',');
      } else if (is_apart(reader_.rest())) {
        append_apart();
      } else {
        append_member(depth);
      }
    }
    close(count, '}');
  }
  void append_members(std::size_t count, std::size_t depth) {
    append_members(
        count, depth, [](std::string_view /*rest*/) { return false; }, [] {});
  }

  // Writes name and value, and a comma.
  void append_member(std::size_t depth) {
    out_.string_between("\"", reader_.bytes(), "\":");
    append_value(depth);
    out_.character(',');
  }

 private:
  // Nearly all members are short: their parts are read and written at once, without the reader and
  // the buffer for each. Writes at most `left`, while `append_short` finds short ones; returns how
  // many are left.
  template <class AppendShort>
  std::size_t append_run(std::size_t left, AppendShort append_short) {
    const std::string_view rest = reader_.rest();
    const auto [out, out_end] = out_.room();
    Place at{rest.data(), rest.data() + rest.size(), out, out_end};
    while (left > 0 && append_short(at)) --left;
    reader_.go_on_at(at.in);
    out_.written_to(at.out);
    return left;
  }

  // Returns false if the member is not short, or the input or the output space nearly ends; then at
  // most the name is written.
  [[gnu::always_inline]] bool append_short_member(Place& at, bool& has_name) {
    if (at.ahead() < kShortMemberAhead || at.room() < kShortMemberRoom) return false;
    const std::size_t size = static_cast<unsigned char>(at.in[0]);
    if (size > kJsonShortBytesMax || !copy_json_short(at.out + 1, at.in + 1, size)) return false;
    *at.out = '"';
    const char* const value = at.in + 1 + size;
    char* const value_out = write_literal(at.out + 1 + size, "\":");
    if (append_short_value(at, value, value_out)) return true;
    has_name = at.go_on(value, value_out);
    return false;
  }
  // Writes an element; returns false as above.
  [[gnu::always_inline]] bool append_short_element(Place& at) {
    if (at.ahead() < kShortValueAhead || at.room() < kShortMemberRoom) return false;
    return append_short_value(at, at.in, at.out);
  }
  // `in` begins with type and length of the value; `out` is where it goes.
  [[gnu::always_inline]] bool append_short_value(Place& at, const char* in, char* out) {
    const std::size_t size = static_cast<unsigned char>(in[1]);
    const std::string_view bytes(in + 2, size);
    switch (static_cast<TypeCode>(in[0])) {
      case TypeCode::S:
        out = write_literal(out, R"({"S":")");
        if (!copy_short_string(at, out, bytes)) return false;
        out += size;
        values_.scalar(Type::S, bytes);
        break;
      case TypeCode::N:
        if (size > at.ahead_of(bytes)) return false;
        out = write_number_text_if_valid(write_literal(out, R"({"N":")"), bytes);
        if (out == nullptr) return false;
        values_.scalar(Type::N, bytes);
        break;
      case TypeCode::Bool:
        values_.truth();
        return at.go_on(in + 2, in[1] != 0 ? write_literal(out, R"({"BOOL":true},)")
                                           : write_literal(out, R"({"BOOL":false},)"));
      case TypeCode::Null:
        return at.go_on(in + 1, write_literal(out, R"({"NULL":true},)"));
      default:
        return false;
    }
    return at.go_on(in + 2 + size, write_literal(out, "\"},"));
  }
  static bool copy_short_string(const Place& at, char* out, std::string_view bytes) {
    if (bytes.size() <= kJsonShortBytesMax) return copy_json_short(out, bytes.data(), bytes.size());
    return bytes.size() <= kShortStringBytesMax && bytes.size() <= at.ahead_of(bytes) &&
           copy_json_plain(out, bytes);
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
        return append_set(Type::S,
                          [&](std::string_view bytes) { out_.string_between("\"", bytes, "\","); });
      case Type::NS:
        out_.literal(R"({"NS":)");
        return append_set(Type::N,
                          [&](std::string_view bytes) { append_number("\"", bytes, "\","); });
      case Type::BS:
        out_.literal(R"({"BS":)");
        return append_set(Type::B, [&](std::string_view bytes) {
          out_.base64(bytes);
          out_.character(',');
        });
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
    const std::size_t count = reader_.count();
    values_.map(count);
    append_members(count, depth);
    out_.character('}');
  }

  // Replaces the last element's comma by the bracket.
  void close(std::size_t count, char bracket) {
    if (count > 0) return out_.last_character(bracket);
    out_.character(bracket);
  }

  void append_list(std::size_t depth) {
    reader_.length();
    const std::size_t count = reader_.count();
    values_.list(count);
    out_.character('[');
    for (std::size_t left = count;; --left) {
      left = append_run(left, [&](Place& at) { return append_short_element(at); });
      if (left == 0) break;
      append_value(depth);
      out_.character(',');
    }
    close(count, ']');
    out_.character('}');
  }

  // `append` writes one element's bytes and a comma.
  template <class Append>
  void append_set(Type element, Append append) {
    reader_.length();
    const std::size_t count = reader_.count();
    values_.set(count);
    out_.character('[');
    for (std::size_t left = count; left > 0; --left) {
      const std::string_view bytes = reader_.bytes();
      values_.set_element(element, bytes);
      append(bytes);
    }
    close(count, ']');
    out_.character('}');
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

// Bytes of the sort key's value, read with a copy of the reader before it.
std::size_t scalar_bytes_ahead(RecordReader reader) {
  const Type type = reader.type();
  return PackedValues::scalar_bytes(type, reader.bytes());
}

}  // namespace

// Names and types in quotes add half of the bytes again.
std::size_t usual_json_bytes(std::string_view record) {
  return record.size() * 3 / 2 + kShortMemberRoom;
}

void EncodedItem::append_json(std::string& out) const {
  JsonBuffer buffer(out, usual_json_bytes(record_));
  append_json(buffer);
}

void EncodedItem::append_json(JsonBuffer& buffer) const {
  Uncounted values;
  RecordReader reader = attributes_of(record_);
  Rendering(reader, buffer, values).append_members(reader.count(), /*depth=*/1);
  if (!reader.at_end()) throw_damaged_record();
}

std::size_t EncodedItem::append_json_of_page(std::string& out, std::string_view sort_key) const {
  PackedValues values;
  std::size_t sort_key_bytes = 0;
  JsonBuffer buffer(out, usual_json_bytes(record_));
  RecordReader reader = attributes_of(record_);
  const std::size_t count = reader.count();
  std::size_t apart = 0;
  Rendering(reader, buffer, values)
      .append_members(
          count, /*depth=*/1,
          [&](std::string_view rest) {
            return !sort_key.empty() && RecordReader(rest).bytes() == sort_key;
          },
          [&] {
            RecordReader ahead = reader;
            ahead.bytes();
            sort_key_bytes = scalar_bytes_ahead(ahead);
            Uncounted not_a_value;
            Rendering(reader, buffer, not_a_value).append_member(/*depth=*/1);
            ++apart;
          });
  if (!reader.at_end()) throw_damaged_record();
  return packed_item_bytes(count - apart, values.bytes(), sort_key_bytes);
}

}  // namespace stator::storage

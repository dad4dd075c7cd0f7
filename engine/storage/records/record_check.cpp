// is_valid_record(): whether bytes of unknown origin are the only valid encoding of an item. One
// pass that trusts no length, checks every rule of record_layout.h and of Value's invariants, and
// recomputes the billed size.
#include <optional>

#include "engine/storage/records/item_codec.h"
#include "engine/storage/records/record_layout.h"
#include "protocol/number/number.h"
#include "protocol/service/limits.h"
#include "protocol/text/utf8.h"

namespace stator::storage {
namespace {

// Each step returns empty if the bytes are invalid.
class RecordChecker {
 public:
  explicit RecordChecker(std::string_view bytes) : in_(bytes) {}

  bool at_end() const { return in_.at_end(); }

  // The billed size of the members, with their names. Their values are at level `depth`; the item's
  // own at 1.
  std::optional<std::size_t> members(std::size_t depth, std::size_t per_member) {
    const auto count = varint();
    if (!count) return {};
    std::size_t size = 0;
    std::optional<std::string_view> previous;
    for (std::size_t i = 0; i < *count; ++i) {
      const auto name = bytes();
      if (!name || !is_valid_utf8(*name)) return {};
      if (previous && *previous >= *name) return {};
      previous = name;
      const auto value_size = value(depth);
      if (!value_size) return {};
      size += per_member + name->size() + *value_size;
    }
    return size;
  }

  std::optional<std::size_t> value(std::size_t depth) {
    const auto code = byte();
    if (!code) return {};
    const auto type = type_of(static_cast<TypeCode>(*code));
    if (!type) return {};
    switch (*type) {
      case Type::S:
      case Type::N:
      case Type::B:
        return scalar(*type);
      case Type::Bool: {
        const auto truth = byte();
        if (!truth || *truth > 1) return {};
        return 1;
      }
      case Type::Null:
        return 1;
      case Type::SS:
      case Type::NS:
      case Type::BS:
      case Type::L:
      case Type::M:
        return container(*type, depth);
    }
    return {};
  }

 private:
  std::optional<std::size_t> scalar(Type type) {
    const auto text = bytes();
    if (!text) return {};
    if (type == Type::S && !is_valid_utf8(*text)) return {};
    if (type != Type::N) return text->size();
    if (!is_valid_number_encoding(*text)) return {};
    return number_size_bytes(*text);
  }

  // Checks the payload within its stated length.
  std::optional<std::size_t> container(Type type, std::size_t depth) {
    if (depth > limits::kValueDepthMax) return {};
    const auto payload = sound(in_.block());
    if (!payload) return {};
    RecordChecker inside(*payload);
    std::optional<std::size_t> size;
    if (type == Type::M) {
      size = inside.members(depth + 1, /*per_member=*/1);
    } else if (type == Type::L) {
      size = inside.list(depth + 1);
    } else {
      size = inside.set(element_type(type));
    }
    if (!size || !inside.at_end()) return {};
    return *size + (is_set(type) ? 0 : 3);
  }

  std::optional<std::size_t> list(std::size_t depth) {
    const auto count = varint();
    if (!count) return {};
    std::size_t size = 0;
    for (std::size_t i = 0; i < *count; ++i) {
      const auto element_size = value(depth);
      if (!element_size) return {};
      size += 1 + *element_size;
    }
    return size;
  }

  std::optional<std::size_t> set(Type of) {
    const auto count = varint();
    if (!count || *count == 0) return {};
    std::size_t size = 0;
    std::optional<std::string_view> previous;
    for (std::size_t i = 0; i < *count; ++i) {
      RecordChecker element = *this;
      const auto text = bytes();
      const auto element_size = element.scalar(of);
      if (!text || !element_size) return {};
      if (previous && *previous >= *text) return {};
      previous = text;
      size += *element_size;
    }
    return size;
  }

  template <class T>
  std::optional<T> sound(T read) const {
    return in_.is_damaged() ? std::nullopt : std::optional<T>(read);
  }
  std::optional<std::uint8_t> byte() { return sound(in_.u8()); }
  std::optional<std::size_t> varint() { return sound(in_.varint()); }
  std::optional<std::string_view> bytes() { return sound(in_.bytes()); }

  ByteReader in_;
};

}  // namespace

bool is_valid_record(std::string_view record) {
  if (record.size() <= kRecordHeaderBytes || record.front() != kRecordFormat) return false;
  if (static_cast<std::uint8_t>(record[kOriginAt]) > static_cast<std::uint8_t>(kLastOrigin))
    return false;
  RecordChecker checker(record.substr(kRecordHeaderBytes));
  const auto size = checker.members(/*depth=*/1, /*per_member=*/0);
  return size && checker.at_end() && *size == load_le<std::uint32_t>(record.data() + kSizeAt);
}

}  // namespace stator::storage

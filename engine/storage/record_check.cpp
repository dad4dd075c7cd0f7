// is_valid_record(): whether bytes of unknown origin are the encoding of an item, and the only one
// it has. A pass over the bytes that trusts no length; every rule of record_layout.h and of Value's
// invariants is checked, and the billed size recomputed.
#include <optional>

#include "engine/storage/item_codec.h"
#include "engine/storage/record_layout.h"
#include "protocol/limits.h"
#include "protocol/number.h"
#include "protocol/utf8.h"

namespace stator::storage {
namespace {

// Each step returns empty when the bytes are wrong.
class RecordChecker {
 public:
  explicit RecordChecker(std::string_view bytes) : rest_(bytes) {}

  bool at_end() const { return rest_.empty(); }

  std::optional<std::string_view> take(std::size_t count) {
    if (count > rest_.size()) return {};
    const auto taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::optional<std::size_t> varint() {
    std::size_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const auto byte = take(1);
      if (!byte) return {};
      const std::size_t bits = static_cast<unsigned char>(byte->front());
      value |= (bits & 0x7F) << shift;
      if (bits >= 0x80) continue;
      if (bits == 0 && shift > 0) return {};  // longer than needed
      if (value > UINT32_MAX) return {};
      return value;
    }
    return {};
  }

  std::optional<std::string_view> bytes() {
    const auto length = varint();
    if (!length) return {};
    return take(*length);
  }

  // The billed size of the members, with their names; their values are at level `depth`, the item's
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
    const auto code = take(1);
    if (!code) return {};
    const auto type = type_of(static_cast<TypeCode>(code->front()));
    if (!type) return {};
    switch (*type) {
      case Type::S:
      case Type::N:
      case Type::B:
        return scalar(*type);
      case Type::Bool: {
        const auto truth = take(1);
        if (!truth || static_cast<unsigned char>(truth->front()) > 1) return {};
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
    const auto length = take(4);
    if (!length) return {};
    const auto payload = take(read_u32_le(length->data()));
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

  std::string_view rest_;
};

}  // namespace

bool is_valid_record(std::string_view record) {
  if (record.size() <= kRecordHeaderBytes || record.front() != kRecordFormat) return false;
  RecordChecker checker(record.substr(kRecordHeaderBytes));
  const auto size = checker.members(/*depth=*/1, /*per_member=*/0);
  return size && checker.at_end() && *size == read_u32_le(record.data() + 1);
}

}  // namespace stator::storage

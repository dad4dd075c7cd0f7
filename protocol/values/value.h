// Value: one attribute value as a 16-byte view. It owns nothing: text, numbers, elements and
// members live in a request's arena (or, if the item codec made it, in a page of the store) and
// must outlive it.
//
// Invariants, established by attribute_value.h: numbers are ordered bytes (number.h); sets are
// sorted by bytes and have no duplicates; members of a map are sorted by name and have no
// duplicates. Hence equality is structural.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stator {

enum class Type : std::uint8_t { S, N, B, Bool, Null, SS, NS, BS, L, M };

// The name on the wire: "S", "BOOL", "NULL" …
std::string_view type_name(Type type);
// The type of this wire name, if any.
std::optional<Type> find_type(std::string_view name);
constexpr bool is_set(Type type) {
  return type == Type::SS || type == Type::NS || type == Type::BS;
}
constexpr bool is_key_type(Type type) {
  return type == Type::S || type == Type::N || type == Type::B;
}

struct Member;

// Consecutive elements of a list or members of a map in their stored bytes (engine/storage), for
// parts that no one reads one by one. Only lists and maps of an item that is being updated hold
// runs; a run stands where its elements would.
struct ElementRun {
  std::string_view encoded;
  std::size_t count = 0;
  std::size_t size_bytes = 0;  // sum of value_size_bytes(), for members with their names
  std::size_t depth = 0;       // levels of the deepest; a scalar or set has one
};

class Value {
 public:
  Value() : Value(Type::Null, nullptr, 0) {}
  static Value string(std::string_view utf8) { return bytes_of(Type::S, utf8); }
  static Value binary(std::string_view bytes) { return bytes_of(Type::B, bytes); }
  static Value number(std::string_view ordered_bytes) { return bytes_of(Type::N, ordered_bytes); }
  static Value scalar(Type type, std::string_view bytes) { return bytes_of(type, bytes); }
  static Value boolean(bool truth) { return Value(Type::Bool, nullptr, truth ? 1 : 0); }
  static Value null() { return Value(); }
  static Value set(Type type, std::span<const std::string_view> elements) {
    return Value(type, elements.data(), elements.size());
  }
  static Value list(std::span<const Value> elements, bool holds_runs = false) {
    Value list(Type::L, elements.data(), elements.size());
    list.holds_runs_ = holds_runs;
    return list;
  }
  static Value map(std::span<const Member> members, bool holds_runs = false);
  // An element of a list that holds runs, or the value of a member of a map that does; that member
  // is named as the run's first. A run has no type.
  static Value run(const ElementRun& run) { return Value(kRun, &run, 1); }

  Type type() const { return type_; }

  // S: UTF-8; B: raw bytes; N: ordered bytes.
  std::string_view bytes() const {
    assert(is_key_type(type_));
    return {static_cast<const char*>(data_), size_};
  }
  bool truth() const {
    assert(type_ == Type::Bool);
    return size_ != 0;
  }
  std::span<const std::string_view> set_elements() const {
    assert(is_set(type_));
    return {static_cast<const std::string_view*>(data_), size_};
  }
  std::span<const Value> elements() const {
    assert(type_ == Type::L);
    return {static_cast<const Value*>(data_), size_};
  }
  inline std::span<const Member> members() const;

  bool is_run() const { return type_ == kRun; }
  const ElementRun& run() const {
    assert(is_run());
    return *static_cast<const ElementRun*>(data_);
  }
  // For a list or map: whether elements() or members() contain runs, and the number of elements or
  // members including those in runs.
  bool holds_runs() const { return holds_runs_; }
  std::size_t element_count() const;
  std::size_t member_count() const;
  // The list's element at the index, or nullptr. REQUIRES: it is in no run.
  const Value* find_element(std::uint64_t index) const;

 private:
  static constexpr Type kRun{static_cast<std::uint8_t>(Type::M) + 1};

  Value(Type type, const void* data, std::size_t size)
      : data_(data), size_(static_cast<std::uint32_t>(size)), type_(type) {}
  static Value bytes_of(Type type, std::string_view bytes) {
    return Value(type, bytes.data(), bytes.size());
  }

  const void* data_;
  std::uint32_t size_;
  Type type_;
  bool holds_runs_ = false;
};

// A named value: an attribute of an item or a member of a map.
struct Member {
  std::string_view name;
  Value value;
};

// The attributes of an item, sorted by name.
using Item = std::span<const Member>;

inline std::span<const Member> Value::members() const {
  assert(type_ == Type::M);
  return {static_cast<const Member*>(data_), size_};
}
inline Value Value::map(std::span<const Member> members, bool holds_runs) {
  Value map(Type::M, members.data(), members.size());
  map.holds_runs_ = holds_runs;
  return map;
}

static_assert(sizeof(Value) == 16);

// The attribute of this name, or nullptr. Binary search. REQUIRES: `item` is sorted; the attribute
// is in no run.
const Value* find_attribute(Item item, std::string_view name);

// REQUIRES: neither holds runs, which may split equal elements differently.
bool operator==(const Value& a, const Value& b);

// Appends the value as the wire's JSON: {"S":"text"}.
void append_value_json(std::string& out, const Value& value);
// Appends {"name":{…},…}.
void append_item_json(std::string& out, Item item);

}  // namespace stator

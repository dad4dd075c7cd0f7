// ExpressionAttributeNames and ExpressionAttributeValues of one request: what `#name` and `:value`
// stand for, and which of them the expressions have used.
//
// A caller reads them once, parses every expression of the request with them, then asks for the
// unused ones.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "protocol/arena.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"
#include "protocol/value.h"
#include "protocol/wording.h"

namespace stator::expr {

inline constexpr std::size_t kPlaceholderNameBytesMax = 255;
// Names and values with what they stand for.
inline constexpr std::size_t kPlaceholdersBytesMax = 2 * 1024 * 1024;

class ExpressionCache;

class Placeholders {
 public:
  // Reads both members of `body`, whose JSON types are right already. Errors: an empty map, a key
  // that is no placeholder or too long, an empty name, a value the service refuses, too much of
  // both together. What is read refers to the body and the arena and must not outlive them.
  // With `cache` the request's expressions are parsed through it.
  static Result<Placeholders> read(const JsonNode& body, Wording wording, Arena& arena,
                                   ExpressionCache* cache = nullptr);

  // ExpressionAttributeNames alone: lookups have no values, and pass over the member.
  static Result<Placeholders> read_names(const JsonNode& body, Wording wording, Arena& arena,
                                         ExpressionCache* cache = nullptr);

  // Neither member may be given without an expression to use it, asked before anything is read.
  // `without_values` is empty when the request has an expression that may use values; otherwise it
  // says in the classic wording which ones are missing ("ConditionExpression is null").
  static Result<void> check_wanted(const JsonNode& body, bool has_expression,
                                   std::string_view without_values, Wording wording);

  // What a placeholder (with its `#` or `:`) stands for, or nullptr; marks it used. The result
  // lives as long as the arena.
  const std::string_view* find_name(std::string_view placeholder);
  const Value* find_value(std::string_view placeholder);

  // Billed bytes of the names and values, with what they stand for.
  std::size_t size_bytes() const { return size_bytes_; }

  // May be nullptr.
  ExpressionCache* cache() const { return cache_; }

  // To be called once every expression is parsed.
  Result<void> check_all_used(Wording wording) const;

 private:
  template <class T>
  struct Entry {
    std::string_view key;
    T target;
    std::size_t position;  // in the request
    bool is_used;
  };
  template <class T>
  using Entries = std::span<Entry<T>>;  // sorted by key

  Result<void> add_names(const JsonNode& names, Wording wording, Arena& arena);
  Result<void> add_values(const JsonNode& values, Wording wording, Arena& arena);
  template <class T>
  static Entries<T> sort_entries(Entries<T> entries);
  template <class T>
  static const T* find(Entries<T> entries, std::string_view key);
  template <class T>
  static Result<void> check_used(Entries<T> entries, std::string_view member, Wording wording);

  Entries<std::string_view> names_;
  Entries<Value> values_;
  std::size_t size_bytes_ = 0;
  ExpressionCache* cache_ = nullptr;
};

}  // namespace stator::expr

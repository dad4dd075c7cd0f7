// ExpressionAttributeNames and ExpressionAttributeValues of one request: what `#name` and `:value`
// stand for, and which of them the expressions have used.
//
// Usage: read them once, parse every expression of the request with them, then call
// check_all_used().
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"
#include "protocol/service/wording.h"
#include "protocol/values/value.h"

namespace stator::expr {

inline constexpr std::size_t kPlaceholderNameBytesMax = 255;
// Limit for names and values together, including what they stand for.
inline constexpr std::size_t kPlaceholdersBytesMax = 2 * 1024 * 1024;

class ExpressionCache;

class Placeholders {
 public:
  // Reads both members of `body`. REQUIRES: their JSON types are right. Errors: an empty map; a key
  // that is no placeholder or too long; an empty name; a value the service rejects; too many bytes
  // together. The result refers to the body and the arena and must not outlive them. If `cache` is
  // set, the request's expressions are parsed through it.
  static Result<Placeholders> read(const JsonNode& body, Wording wording, Arena& arena,
                                   ExpressionCache* cache = nullptr);

  // Reads ExpressionAttributeNames only, and ignores the values: lookups have none.
  static Result<Placeholders> read_names(const JsonNode& body, Wording wording, Arena& arena,
                                         ExpressionCache* cache = nullptr);

  // An error if a member is given without an expression that may use it. Call before reading.
  // `without_values` is empty if the request has an expression that may use values; otherwise it
  // says, in the classic wording, which expressions are missing ("ConditionExpression is null").
  static Result<void> check_wanted(const JsonNode& body, bool has_expression,
                                   std::string_view without_values, Wording wording);

  // The target of a placeholder (with its `#` or `:`), or nullptr; marks it used. Lives as long as
  // the arena.
  const std::string_view* find_name(std::string_view placeholder);
  const Value* find_value(std::string_view placeholder);

  // Billed bytes of the names and values, including what they stand for.
  std::size_t size_bytes() const { return size_bytes_; }

  // May be nullptr.
  ExpressionCache* cache() const { return cache_; }

  // REQUIRES: every expression is parsed.
  Result<void> check_all_used(Wording wording) const;

 private:
  template <class T>
  struct Entry {
    std::string_view key;
    T target;
    std::size_t position;  // index in the request
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

// The error of one placeholder in `member`.
Error invalid_value(std::string_view member, Error error, std::string_view key);

}  // namespace stator::expr

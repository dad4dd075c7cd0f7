// The values that a request supplies for the condition keys of policies.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stator::access {

// One condition key of a request, such as dynamodb:LeadingKeys. A key that is not in the context is
// absent; a multi-valued key without values is present and empty.
struct ContextKey {
  std::string name;
  std::vector<std::string> values;  // exactly one if the key is single-valued
  // Whether the key is declared as a list, however many values the request has for it.
  bool is_multi_valued = false;
  // Present, with an unknown value. It equals nothing; it differs from everything where a
  // statement denies and from nothing where one allows. Then `values` is not read.
  bool is_unknowable = false;
};

// The keys of one request, each once. Names are compared without regard to case.
class RequestContext {
 public:
  // Adds a key, or replaces the one of this name.
  void set(ContextKey key);
  void set(std::string_view name, std::string_view value);
  void set_list(std::string_view name, std::vector<std::string> values);
  void set_unknowable(std::string_view name, bool is_multi_valued);

  // The key of this name, or nullptr. Valid until the context changes.
  const ContextKey* find(std::string_view name) const;
  std::span<const ContextKey> keys() const { return keys_; }

 private:
  std::vector<ContextKey> keys_;
};

}  // namespace stator::access

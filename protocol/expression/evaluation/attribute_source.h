// The source of attributes for evaluating expressions: an item as a tree of values, or a stored
// record read in place.
#pragma once

#include <optional>

#include "protocol/expression/syntax/ast.h"
#include "protocol/values/value.h"

namespace stator::expr {

class AttributeSource {
 public:
  // The value at the resolved path; empty if absent. It lives as long as the source.
  virtual std::optional<Value> find(Path path) const = 0;
  // Whether the list at the path contains an element equal to the wanted value. Empty if the value
  // is no list or the source has no faster way than find() and a search.
  virtual std::optional<bool> list_contains(Path /*path*/, const Value& /*wanted*/) const {
    return std::nullopt;
  }

 protected:
  ~AttributeSource() = default;
};

// An item whose attributes are sorted by name; they must outlive the source. A missing item is an
// empty one.
class ItemSource final : public AttributeSource {
 public:
  explicit ItemSource(Item item) : item_(item) {}
  std::optional<Value> find(Path path) const override;

 private:
  Item item_;
};

}  // namespace stator::expr

// Where the evaluation of expressions finds attributes: an item as a tree of values, or a stored
// record read in place.
#pragma once

#include <optional>

#include "protocol/expression/ast.h"
#include "protocol/value.h"

namespace stator::expr {

class AttributeSource {
 public:
  // What the resolved path leads to, or nothing. The value lives as long as the source.
  virtual std::optional<Value> find(Path path) const = 0;
  // Whether the list at the path has an element like that. Nothing: find() it and look, for it is
  // no list, or no better way is known.
  virtual std::optional<bool> list_contains(Path /*path*/, const Value& /*wanted*/) const {
    return std::nullopt;
  }

 protected:
  ~AttributeSource() = default;
};

// Attributes sorted by name, which must outlive the source. An item that does not exist is an empty
// one.
class ItemSource final : public AttributeSource {
 public:
  explicit ItemSource(Item item) : item_(item) {}
  std::optional<Value> find(Path path) const override;

 private:
  Item item_;
};

}  // namespace stator::expr

// Attribute values read straight from an item's record: what filters and conditions on stored items
// are evaluated on.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/storage/encoded_list.h"
#include "protocol/arena.h"
#include "protocol/expression/attribute_source.h"
#include "protocol/value.h"

namespace stator::storage {

// Follows a document path through the encoding, skipping what is not on it; only the value at its
// end is decoded (scalars stay views into the record, sets, lists and maps take room in `scratch`).
// Both must outlive the source and what it found. An empty record stands for an item that does not
// exist. Whoever asks for much of a large record gets it decoded whole, once, so that all operands
// of a long expression together cost little more than the record.
class EncodedSource final : public expr::AttributeSource {
 public:
  EncodedSource(std::string_view record, Arena& scratch) : record_(record), scratch_(scratch) {}

  std::optional<Value> find(expr::Path path) const override;
  // Of large records and a few of their lists.
  std::optional<bool> list_contains(expr::Path path, const Value& wanted) const override;

 private:
  struct Searched {
    expr::Path path;
    std::optional<EncodedList> list;  // empty: there is none
  };

  // Null: there is none, or there were others enough.
  EncodedList* searched_list(expr::Path path) const;

  std::string_view record_;
  Arena& scratch_;
  mutable std::size_t walked_bytes_ = 0;  // by the searches before, at most
  mutable std::optional<Item> item_;
  mutable std::vector<Searched> searched_;
};

}  // namespace stator::storage

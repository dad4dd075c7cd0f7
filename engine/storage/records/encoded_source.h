// Reads attribute values directly from an item's record, for filters and conditions on stored
// items.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/storage/records/encoded_list.h"
#include "protocol/expression/evaluation/attribute_source.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator::storage {

// Follows a document path through the encoding and skips everything else; decodes only the value at
// its end. Scalars stay views into the record; sets, lists and maps use `scratch`. Both must
// outlive the source and its results. An empty record means that the item does not exist. After
// many reads of a large record it is decoded once as a whole, so that all operands of a long
// expression together cost little more than the record.
class EncodedSource final : public expr::AttributeSource {
 public:
  EncodedSource(std::string_view record, Arena& scratch) : record_(record), scratch_(scratch) {}

  std::optional<Value> find(expr::Path path) const override;
  // Used for large records and a few of their lists.
  std::optional<bool> list_contains(expr::Path path, const Value& wanted) const override;

 private:
  struct ListSearch {
    expr::Path path;
    std::optional<EncodedList> list;  // empty if the path leads to no list
  };

  // The list at `path`; null if absent or the cache is full.
  EncodedList* searched_list(expr::Path path) const;

  std::string_view record_;
  Arena& scratch_;
  mutable std::size_t walked_bytes_ = 0;  // upper bound of bytes read by earlier searches
  mutable std::optional<Item> item_;
  mutable std::vector<ListSearch> searched_;
};

}  // namespace stator::storage

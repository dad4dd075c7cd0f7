// An item taken apart as far as a change of it asks for: some attributes as values, the others as
// the bytes they are stored as, which go into the changed item's record as they stand. So a small
// change of a large item costs little more than a copy of it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/storage/stamp.h"
#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/value.h"

namespace stator::storage {

class PartedItem {
 public:
  // Beyond moving the attributes as they are, all that is asked for is where these paths lead to,
  // which are sorted (protocol/expression/paths.h). Nothing: each attribute is wanted as values.
  using Paths = std::optional<std::span<const expr::Path>>;

  // `names` are sorted and differ. They and `record` must outlive this and what it returns; it
  // lives in `arena`. Throws DamagedData (damage.h), but does not look into the attributes that it
  // leaves encoded.
  PartedItem(std::string_view record, std::span<const std::string_view> names, Paths paths,
             Arena& arena);

  // Those of the names that the item has, sorted. With paths large lists and maps may hold runs
  // (value.h).
  Item attributes() const { return attributes_; }

  // How much of the record is left encoded, in runs or as attributes.
  std::size_t kept_bytes() const { return kept_bytes_ + run_bytes_; }

  // The record of the item with `attributes` in the place of those above, in `arena`. REQUIRES:
  // they are sorted and of the names; `size_bytes` is the whole item's. `scratch` is overwritten.
  std::string_view joined(Item attributes, std::size_t size_bytes, const Stamp& written,
                          std::string& scratch, Arena& arena) const;

 private:
  // Where the attribute of a name lies in the record; if there is none, where it would: no bytes.
  struct Place {
    std::size_t begin;
    std::size_t end;
  };

  std::string_view record_;
  std::span<const std::string_view> names_;
  std::size_t attribute_count_ = 0;
  std::size_t attributes_begin_ = 0;
  std::size_t kept_bytes_ = 0;  // of whole attributes
  std::size_t run_bytes_ = 0;
  std::span<Place> places_;  // of the names
  Item attributes_;
};

}  // namespace stator::storage

// An item of which only the parts that a change needs are decoded: some attributes as values, the
// others as stored bytes, which are copied into the changed item's record. So a small change of a
// large item costs little more than a copy.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/storage/bytes/stamp.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator::storage {

class PartialItem {
 public:
  // The sorted paths (protocol/expression/resolution/paths.h) whose values are needed, beyond
  // moving attributes unchanged. Empty optional: all named attributes are needed as values.
  using Paths = std::optional<std::span<const expr::Path>>;

  // REQUIRES: `names` are sorted and distinct. `names` and `record` must outlive this object and
  // its results, which live in `arena`. Throws DamagedData (damage.h), but does not check
  // attributes that stay encoded.
  PartialItem(std::string_view record, std::span<const std::string_view> names, Paths paths,
              Arena& arena);

  // The named attributes that the item has, sorted. With paths, large lists and maps may hold runs
  // (value.h).
  Item attributes() const { return attributes_; }

  // Bytes of the record that stay encoded, in runs or whole attributes.
  std::size_t kept_bytes() const { return kept_bytes_ + run_bytes_; }

  // The record of the item with `attributes` replacing those above, in `arena`. REQUIRES: they are
  // sorted and from `names`; `size_bytes` is the whole item's. Overwrites `scratch`.
  std::string_view joined(Item attributes, std::size_t size_bytes, const Stamp& written,
                          std::string& scratch, Arena& arena) const;

 private:
  // The bytes of a named attribute in the record; empty, at its sorted position, if absent.
  struct Place {
    std::size_t begin;
    std::size_t end;
  };

  std::string_view record_;
  std::span<const std::string_view> names_;
  std::size_t attribute_count_ = 0;
  std::size_t attributes_begin_ = 0;
  std::size_t kept_bytes_ = 0;  // in whole attributes
  std::size_t run_bytes_ = 0;
  std::span<Place> places_;  // for each name
  Item attributes_;
};

}  // namespace stator::storage

// PrimaryKey: what names an item in its table.
#pragma once

#include <string_view>

#include "engine/schema/table.h"
#include "engine/storage/item_store.h"

namespace stator {

// The key of an item as the store wants it: ordered bytes. Views into the item.
struct PrimaryKey {
  std::string_view partition;
  std::string_view sort;  // empty without a sort key
};

// A key in its table.
struct LocatedKey {
  const Table* table = nullptr;
  PrimaryKey key = {};
};

inline storage::StoreKey store_key_of(const Table& table, const PrimaryKey& key) {
  return {table.space, key.partition, key.sort};
}

}  // namespace stator

// PrimaryKey: identifies an item in its table.
#pragma once

#include <string_view>

#include "engine/schema/table.h"
#include "engine/storage/stores/item_store.h"

namespace stator {

// The key of an item in the store's form: ordered bytes. Views into the item.
struct PrimaryKey {
  std::string_view partition;
  std::string_view sort;  // empty if there is no sort key
};

// A key with its table.
struct LocatedKey {
  const Table* table = nullptr;
  PrimaryKey key = {};
};

inline storage::StoreKey store_key_of(const Table& table, const PrimaryKey& key) {
  return {table.space, key.partition, key.sort};
}

}  // namespace stator

// ItemCollectionMetrics: the sizes of the item collections that writes touched.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/items/item_decision.h"
#include "engine/schema/table.h"
#include "protocol/json/json_writer.h"
#include "protocol/values/value.h"

namespace stator {

// Writes the metrics of one item collection as an object. `item_or_key` has at least the partition
// key.
void write_collection_metrics(JsonWriter& out, const Table& table, Item item_or_key,
                              std::int64_t size_bytes);

// The metrics of a request with several writes, by table. Only tables with local indexes have any.
class CollectionMetrics {
 public:
  // `table_name` as in the request. For one collection the last size counts. Refers to the
  // decision's table, its key and the item.
  void add(std::string_view table_name, const Decision& decision, Item item_or_key);
  bool empty() const { return tables_.empty(); }
  // Writes a map of lists, in the order in which the tables were touched.
  void write(JsonWriter& out) const;

 private:
  struct Collection {
    std::string_view partition;
    Item item_or_key;
    std::int64_t size_bytes;
  };
  struct TouchedTable {
    std::string_view name;
    const Table* table;
    std::vector<Collection> collections;
  };
  std::vector<TouchedTable> tables_;
};

}  // namespace stator

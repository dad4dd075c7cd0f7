#include "engine/operations/items/collection_metrics.h"

#include <algorithm>

#include "protocol/shapes/attribute_value.h"

namespace stator {

void write_collection_metrics(JsonWriter& out, const Table& table, Item item_or_key,
                              std::int64_t size_bytes) {
  constexpr std::int64_t kBytesPerGb = std::int64_t{1} << 30;
  const std::int64_t whole_gb = size_bytes / kBytesPerGb;
  const auto lower_gb = static_cast<double>(whole_gb);
  out.begin_object();
  out.key("ItemCollectionKey");
  out.begin_object();
  out.key(table.partition_key.name);
  out.before_value();
  append_value_json(out.out(), *find_attribute(item_or_key, table.partition_key.name));
  out.end_object();
  out.key("SizeEstimateRangeGB");
  out.begin_array();
  out.decimal(lower_gb);
  out.decimal(lower_gb + 1);
  out.end_array();
  out.end_object();
}

void CollectionMetrics::add(std::string_view table_name, const Decision& decision,
                            Item item_or_key) {
  if (!decision.is_change || decision.table->local_indexes.empty()) return;
  auto table = std::find_if(tables_.begin(), tables_.end(),
                            [&](const TouchedTable& known) { return known.name == table_name; });
  if (table == tables_.end())
    table = tables_.insert(table, TouchedTable{table_name, decision.table, {}});
  const auto known = std::find_if(
      table->collections.begin(), table->collections.end(),
      [&](const Collection& collection) { return collection.partition == decision.key.partition; });
  if (known != table->collections.end()) {
    known->size_bytes = decision.collection_size_bytes;
  } else {
    table->collections.push_back(
        {decision.key.partition, item_or_key, decision.collection_size_bytes});
  }
}

void CollectionMetrics::write(JsonWriter& out) const {
  out.begin_object();
  for (const TouchedTable& touched : tables_) {
    out.key(touched.name);
    out.begin_array();
    for (const Collection& collection : touched.collections)
      write_collection_metrics(out, *touched.table, collection.item_or_key, collection.size_bytes);
    out.end_array();
  }
  out.end_object();
}

}  // namespace stator

#include "engine/operations/answer_members.h"

#include <algorithm>
#include <vector>

#include "engine/storage/item_codec.h"
#include "protocol/attribute_value.h"

namespace stator {
namespace {

void write_units(JsonWriter& out, std::int64_t units_milli) {
  out.key("CapacityUnits");
  out.decimal(static_cast<double>(units_milli) / static_cast<double>(kMilliPerUnit));
}

void write_index_units(JsonWriter& out, std::string_view member,
                       const std::vector<ConsumedCapacity::IndexUnits>& indexes) {
  if (indexes.empty()) return;
  out.key(member);
  out.begin_object();
  for (const auto& index : indexes) {
    out.key(index.name);
    out.begin_object();
    write_units(out, index.units_milli);
    out.end_object();
  }
  out.end_object();
}

void write_table_capacity(JsonWriter& out, ReturnConsumedCapacity wanted,
                          std::string_view table_name, const ConsumedCapacity& consumed) {
  out.begin_object();
  out.member("TableName", table_name);
  write_units(out, consumed.total_units_milli());
  if (wanted == ReturnConsumedCapacity::Indexes) {
    out.key("Table");
    out.begin_object();
    write_units(out, consumed.table_units_milli);
    out.end_object();
    write_index_units(out, "LocalSecondaryIndexes", consumed.local_indexes);
    write_index_units(out, "GlobalSecondaryIndexes", consumed.global_indexes);
  }
  out.end_object();
}

}  // namespace

void write_consumed_capacity(JsonWriter& out, ReturnConsumedCapacity wanted,
                             std::string_view table_name, std::span<const Charge> charges) {
  if (wanted == ReturnConsumedCapacity::None) return;
  ConsumedCapacity consumed;
  consumed.add(charges);
  out.key("ConsumedCapacity");
  write_table_capacity(out, wanted, table_name, consumed);
}

void write_consumed_capacities(JsonWriter& out, ReturnConsumedCapacity wanted,
                               std::span<const TableCapacity> tables) {
  if (wanted == ReturnConsumedCapacity::None) return;
  std::vector<const TableCapacity*> sorted;
  for (const TableCapacity& table : tables) sorted.push_back(&table);
  std::sort(sorted.begin(), sorted.end(), [](const TableCapacity* a, const TableCapacity* b) {
    return a->table_name < b->table_name;
  });
  out.key("ConsumedCapacity");
  out.begin_array();
  for (const TableCapacity* table : sorted)
    write_table_capacity(out, wanted, table->table_name, table->consumed);
  out.end_array();
}

void append_projected_json(std::string& out, std::string_view record,
                           const expr::Projection* projection, Arena& arena) {
  const storage::EncodedItem item(record);
  if (projection == nullptr) return item.append_json(out);
  append_item_json(out, expr::project(*projection, item.decode(arena), arena));
}

}  // namespace stator

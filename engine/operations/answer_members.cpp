#include "engine/operations/answer_members.h"

#include <algorithm>
#include <vector>

#include "engine/storage/records/item_codec.h"
#include "protocol/shapes/attribute_value.h"

namespace stator {
namespace {

// Writes the numbers of capacity units.
class UnitsWriter {
 public:
  UnitsWriter(JsonWriter& out, UnitBreakdown told_twice) : out_(out), told_twice_(told_twice) {}

  void write_table(ReturnConsumedCapacity wanted, std::string_view table_name,
                   const ConsumedCapacity& consumed) {
    out_.begin_object();
    out_.member("TableName", table_name);
    write(consumed.total_units_milli());
    if (wanted == ReturnConsumedCapacity::Indexes) {
      out_.key("Table");
      out_.begin_object();
      write(consumed.table_units_milli);
      out_.end_object();
      write_indexes("LocalSecondaryIndexes", consumed.local_indexes);
      write_indexes("GlobalSecondaryIndexes", consumed.global_indexes);
    }
    out_.end_object();
  }

 private:
  void write(std::int64_t units_milli) {
    const double units = static_cast<double>(units_milli) / static_cast<double>(kMilliPerUnit);
    out_.key("CapacityUnits");
    out_.decimal(units);
    if (told_twice_ == UnitBreakdown::No) return;
    out_.key(told_twice_ == UnitBreakdown::Reads ? "ReadCapacityUnits" : "WriteCapacityUnits");
    out_.decimal(units);
  }

  void write_indexes(std::string_view member,
                     const std::vector<ConsumedCapacity::IndexUnits>& indexes) {
    if (indexes.empty()) return;
    out_.key(member);
    out_.begin_object();
    for (const auto& index : indexes) {
      out_.key(index.name);
      out_.begin_object();
      write(index.units_milli);
      out_.end_object();
    }
    out_.end_object();
  }

  JsonWriter& out_;
  UnitBreakdown told_twice_;
};

}  // namespace

void write_consumed_capacity(JsonWriter& out, ReturnConsumedCapacity wanted,
                             std::string_view table_name, std::span<const Charge> charges) {
  if (wanted == ReturnConsumedCapacity::None) return;
  ConsumedCapacity consumed;
  consumed.add(charges);
  out.key("ConsumedCapacity");
  UnitsWriter(out, UnitBreakdown::No).write_table(wanted, table_name, consumed);
}

void write_consumed_capacities(JsonWriter& out, ReturnConsumedCapacity wanted,
                               std::span<const TableCapacity> tables, UnitBreakdown told_twice) {
  if (wanted == ReturnConsumedCapacity::None) return;
  std::vector<const TableCapacity*> sorted;
  for (const TableCapacity& table : tables) sorted.push_back(&table);
  std::sort(sorted.begin(), sorted.end(), [](const TableCapacity* a, const TableCapacity* b) {
    return a->table_name < b->table_name;
  });
  out.key("ConsumedCapacity");
  out.begin_array();
  UnitsWriter units(out, told_twice);
  for (const TableCapacity* table : sorted)
    units.write_table(wanted, table->table_name, table->consumed);
  out.end_array();
}

void record_units(Call& call, std::string_view table_name, std::span<const Charge> charges) {
  const bool is_of_table_alone =
      std::all_of(charges.begin(), charges.end(),
                  [](const Charge& charge) { return charge.of == Charge::Of::Table; });
  if (is_of_table_alone) {
    call.units_milli = total_units_milli(charges);
    call.index_uses = {};
    return;
  }
  TableCapacity capacity{table_name, {}};
  capacity.consumed.add(charges);
  record_units(call, {&capacity, 1});
}

void record_units(Call& call, std::span<const TableCapacity> tables) {
  call.units_milli = 0;
  std::vector<IndexUse> uses;
  const auto add = [&](std::string_view table_name,
                       const std::vector<ConsumedCapacity::IndexUnits>& indexes) {
    // A write may be recorded after its table was deleted, and the name with it.
    for (const auto& index : indexes)
      uses.push_back({table_name, call.arena.copy(index.name), index.units_milli});
  };
  for (const TableCapacity& table : tables) {
    call.units_milli += table.consumed.total_units_milli();
    add(table.table_name, table.consumed.global_indexes);
    add(table.table_name, table.consumed.local_indexes);
  }
  call.index_uses = {};
  if (!uses.empty()) call.index_uses = call.arena.copy(std::span<const IndexUse>(uses));
}

void make_room_for_page(std::string& reply, std::size_t whole_bytes) {
  constexpr std::size_t kLongBytes = 32 * 1024;
  if (reply.size() > kLongBytes && reply.capacity() < whole_bytes) reply.reserve(whole_bytes);
}

void append_projected_json(std::string& out, std::string_view record,
                           const expr::Projection* projection, Arena& arena) {
  const storage::EncodedItem item(record);
  if (projection == nullptr) return item.append_json(out);
  append_item_json(out, expr::project(*projection, item.decode(arena), arena));
}

}  // namespace stator

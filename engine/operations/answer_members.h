// Response members that several families share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/call/call.h"
#include "engine/operations/request_members.h"
#include "engine/schema/capacity.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"

namespace stator {

// Writes the member "ConsumedCapacity"; nothing for None. `table_name` is as in the request: a name
// or an ARN.
void write_consumed_capacity(JsonWriter& out, ReturnConsumedCapacity wanted,
                             std::string_view table_name, std::span<const Charge> charges);

// The units that a request on several tables consumed of one of them.
struct TableCapacity {
  std::string_view table_name;  // as in the request
  ConsumedCapacity consumed;
};
// Transactions repeat every number as that of reads or of writes.
enum class UnitBreakdown : std::uint8_t { No, Reads, Writes };
// Writes the member as a list, for requests on several tables, sorted by name.
void write_consumed_capacities(JsonWriter& out, ReturnConsumedCapacity wanted,
                               std::span<const TableCapacity> tables,
                               UnitBreakdown told_twice = UnitBreakdown::No);

// Records what the request consumed, for the request log, in place of what was recorded before.
// Allocates nothing if no index was charged.
void record_units(Call& call, std::string_view table_name, std::span<const Charge> charges);
void record_units(Call& call, std::span<const TableCapacity> tables);

// Reserves the response's `whole_bytes` once it has become long while a page is written: it will
// probably become a full page, and growing would copy it repeatedly.
void make_room_for_page(std::string& reply, std::size_t whole_bytes);

// Appends the record's attributes, or the projected ones, as a JSON object.
void append_projected_json(std::string& out, std::string_view record,
                           const expr::Projection* projection, Arena& arena);

}  // namespace stator

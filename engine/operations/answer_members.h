// Members that answers of several families share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/operations/request_members.h"
#include "engine/schema/capacity.h"
#include "protocol/arena.h"
#include "protocol/expression/projection.h"
#include "protocol/json_writer.h"

namespace stator {

// Writes the member "ConsumedCapacity", or nothing for None. `table_name` as the request had it: a
// name or an ARN.
void write_consumed_capacity(JsonWriter& out, ReturnConsumedCapacity wanted,
                             std::string_view table_name, std::span<const Charge> charges);

// What a request on several tables consumed of one of them.
struct TableCapacity {
  std::string_view table_name;  // as the request had it
  ConsumedCapacity consumed;
};
// Transactions tell every figure once more, as that of reads or of writes.
enum class ToldTwice : std::uint8_t { No, Reads, Writes };
// Writes the member as the list of such requests, sorted by name.
void write_consumed_capacities(JsonWriter& out, ReturnConsumedCapacity wanted,
                               std::span<const TableCapacity> tables,
                               ToldTwice told_twice = ToldTwice::No);

// Makes room for the answer's `whole_bytes` when it has become long while a page is written: then
// it is likely to become a whole one, which would be copied again and again.
void make_room_for_page(std::string& reply, std::size_t whole_bytes);

// Appends the record's attributes, or the projected ones, as a JSON object.
void append_projected_json(std::string& out, std::string_view record,
                           const expr::Projection* projection, Arena& arena);

}  // namespace stator

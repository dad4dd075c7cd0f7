// UpdateTable's GlobalSecondaryIndexUpdates: checks of the request alone and against the table, and
// building the index of a Create (conformance/observed/tables.md 3, conformance/observed/errors.md
// 12.2).
#pragma once

#include <string>
#include <string_view>

#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"

namespace stator {

// Checks every rule of the list that needs no table.
Result<void> check_index_updates(const JsonNode& body);
bool adds_or_removes_index(const JsonNode& body);

// Checks that a switch to PROVISIONED gives every global index a throughput in the same call.
Result<void> check_indexes_provisioned(const JsonNode& body, const Table& table);
// Checks each update against the table's indexes and their unfinished changes.
Result<void> check_index_changes(const JsonNode& body, const Table& table, Timestamp now);

// ResourceInUseException "<refused> when an index is being created…" during an index's resource
// allocation; check_no_index_changing() also during a deletion.
Result<void> check_no_index_allocating(const Table& table, Timestamp now, std::string_view refused);
Result<void> check_no_index_changing(const Table& table, Timestamp now, std::string_view refused);

// Error: the requested throughput is the current one. `of` is "table" or "index I".
Error will_not_change(const std::string& of, const Throughput& units);

// Adds the index of a Create that passed the checks, with the attribute definitions it needs. Its
// resource allocation ends at `allocating_until`.
void add_index(const JsonNode& create, const JsonNode& body, Timestamp allocating_until,
               Table& table);

}  // namespace stator

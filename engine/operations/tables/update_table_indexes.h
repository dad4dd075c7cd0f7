// UpdateTable's GlobalSecondaryIndexUpdates: their checks, of the request alone and against the
// table, and building the index that a Create asks for (conformance/observed/tables.md 3,
// conformance/observed/errors.md 12.2).
#pragma once

#include <string>
#include <string_view>

#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"

namespace stator {

// Every rule of the list that needs no table.
Result<void> check_index_updates(const JsonNode& body);
bool adds_or_removes_index(const JsonNode& body);

// Going to PROVISIONED, every global index needs a throughput in the same call.
Result<void> check_indexes_provisioned(const JsonNode& body, const Table& table);
// Each update against the indexes of the table and what is being done to them.
Result<void> check_index_changes(const JsonNode& body, const Table& table, Timestamp now);

// ResourceInUseException "<refused> when an index is being created…" while one is in resource
// allocation; the other refuses while one is deleted, too.
Result<void> check_no_index_allocating(const Table& table, Timestamp now, std::string_view refused);
Result<void> check_no_index_changing(const Table& table, Timestamp now, std::string_view refused);

// The throughput asked for is the current one. `of`: "table", or "index I".
Error will_not_change(const std::string& of, const Throughput& units);

// Adds the index of a Create that passed the checks, and the attribute definitions it needs. It is
// in resource allocation until `allocating_until`.
void add_index(const JsonNode& create, const JsonNode& body, Timestamp allocating_until,
               Table& table);

}  // namespace stator

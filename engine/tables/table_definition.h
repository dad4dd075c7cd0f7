// The parts of a table definition: checks them as JSON (every check that needs no stored data) and
// builds a Table from them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/call/call.h"
#include "engine/schema/table.h"
#include "engine/seams/random.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/service/common_errors.h"
#include "protocol/shapes/shape.h"

namespace stator {

// Checks `The parameter 'TableName' is required …` and names of one or two characters, which come
// before all constraints.
Result<void> check_control_table_name(const JsonNode& body);

// Parses a request whose only member in `shape` is TableName; stores the name in the call.
Result<void> parse_table_request(const JsonNode& body, const TypeSpec& shape, Call& call);

// Checks that both units are within 1 and 10^12; reads first.
Result<void> check_throughput_bounds(const JsonNode* provisioned_throughput);

// Of units of throughput for a table that is paid by request.
Error throughput_on_demand();

using Names = std::vector<std::string_view>;
// AttributeName of each element of a key schema or of AttributeDefinitions.
Names names_of(std::span<const JsonNode> nodes);
bool contains(const Names& names, std::string_view name);

// Checks table, local and global indexes, attribute definitions: steps 4 to 7 of CreateTable
// (conformance/observed/errors.md 12.1).
Result<void> check_key_definitions(const JsonNode& body, BillingMode billing_mode);
// Checks a global index of UpdateTable's Create; `definitions` are the names of the defined
// attributes.
Result<void> check_new_global_index(const JsonNode& index, const Names& definitions,
                                    BillingMode billing_mode);

// Checks OnDemandThroughput of a table or index. `of` is "table" or "index I". `allows_removal`: -1
// removes a maximum.
Result<void> check_on_demand(const JsonNode* on_demand, std::string_view of, bool allows_removal);
// Checks WarmThroughput of a new table or index; `floor` is its initial value without one.
Result<void> check_warm(const JsonNode* warm, std::string_view of, BillingMode billing_mode,
                        Throughput floor);
Result<void> check_table_class(const JsonNode& body);
// Checks SSESpecification.
Result<void> check_encryption(const JsonNode* specification);

// ---- building, after all checks have passed ----

std::vector<KeyAttribute> build_definitions(std::span<const JsonNode> definitions);
Throughput build_throughput(const JsonNode* provisioned_throughput);
OnDemandThroughput build_on_demand(const JsonNode* on_demand);
// The throughput that a table or index serves at once: as requested, else the initial one.
Throughput build_warm(const JsonNode* warm, BillingMode billing_mode, Throughput provisioned);
// Empty unless SSESpecification enables a KMS key.
std::optional<Encryption> build_encryption(const JsonNode* specification, const Call& call,
                                           Random& random);
TableClass build_table_class(std::string_view text);
StreamViewType build_stream_view_type(std::string_view text);
// Builds keys and indexes from the body. REQUIRES: the table's settings are set.
void build_keys_and_indexes(const JsonNode& body, Table& table);
// Builds one global index whose key attributes the table defines.
GlobalIndex build_global_index(const JsonNode& node, const Table& table);

}  // namespace stator

// The parts of a table definition: checking them as JSON (every check that needs no stored data)
// and building a Table from them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/call/call.h"
#include "engine/schema/table.h"
#include "engine/seams/random.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"
#include "protocol/shape.h"

namespace stator {

// ValidationException behind "One or more parameter values were invalid: ".
Error invalid_parameter(const std::string& message);

// `The parameter 'TableName' is required …` and the length of one or two characters, which come
// before all constraints.
Result<void> check_control_table_name(const JsonNode& body);

// Everything about a request whose one member, as `shape` says, is TableName; leaves the name in
// the call.
Result<void> parse_table_request(const JsonNode& body, const TypeSpec& shape, Call& call);

// Both within 1 and 10^12; read first.
Result<void> check_throughput_bounds(const JsonNode* provisioned_throughput);

using Names = std::vector<std::string_view>;
// AttributeName of each element of a key schema or of AttributeDefinitions.
Names names_of(std::span<const JsonNode> nodes);
bool contains(const Names& names, std::string_view name);

// Table, local and global indexes, attribute definitions: steps 4 to 7 of CreateTable
// (conformance/observed/errors.md 12.1).
Result<void> check_key_definitions(const JsonNode& body, BillingMode billing_mode);
// One global index of UpdateTable's Create; `definitions`: names of the attributes defined.
Result<void> check_new_global_index(const JsonNode& index, const Names& definitions,
                                    BillingMode billing_mode);

// OnDemandThroughput of a table or index: `of` is "table" or "index I"; `allows_removal`: -1
// removes a ceiling.
Result<void> check_on_demand(const JsonNode* on_demand, std::string_view of, bool allows_removal);
// WarmThroughput of a new table or index; `floor` is what it starts with anyway.
Result<void> check_warm(const JsonNode* warm, std::string_view of, BillingMode billing_mode,
                        Throughput floor);
Result<void> check_table_class(const JsonNode& body);
// SSESpecification.
Result<void> check_encryption(const JsonNode& body);

// ---- building, after all checks have passed ----

std::vector<KeyAttribute> build_definitions(std::span<const JsonNode> definitions);
Throughput build_throughput(const JsonNode* provisioned_throughput);
OnDemandThroughput build_on_demand(const JsonNode* on_demand);
// What a table or index can serve at once: as asked for, else where it starts.
Throughput build_warm(const JsonNode* warm, BillingMode billing_mode, Throughput provisioned);
// Empty unless SSESpecification turns a KMS key on.
std::optional<Encryption> build_encryption(const JsonNode& body, const Call& call, Random& random);
TableClass build_table_class(std::string_view text);
StreamViewType build_stream_view_type(std::string_view text);
// Keys and indexes of the body into `table`, whose settings are set already.
void build_keys_and_indexes(const JsonNode& body, Table& table);
// One global index whose key attributes the table defines.
GlobalIndex build_global_index(const JsonNode& node, const Table& table);

}  // namespace stator

// The schema of a table: its description, converted to requests that create it again.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "server/data/transfer/dynamodb_client.h"

namespace stator::data {

// The tag of a table that --seed is loading (seed.h).
inline constexpr std::string_view kSeedingTag = "stator:seeding";

struct TableSchema {
  std::string create_body;    // for CreateTable, tags included
  std::string ttl_attribute;  // empty: no time to live
  // Only of a table at an endpoint: whether that knows tags and time to live, and whether the table
  // has kSeedingTag, which create_body omits.
  bool knows_tags = true;
  bool knows_ttl = true;
  bool is_seeding = false;
  // Of a file: its PointInTimeRecoverySpecification and KinesisStreamSpecification, as JSON.
  std::string recovery = {};
  std::string kinesis = {};
};

// Calls an operation that reads, with a body. The response lives until the next call.
using Ask = std::function<tl::expected<JsonNode, Failure>(std::string_view operation,
                                                          std::string_view body)>;
// `client` must outlive it.
Ask asking(DynamodbClient& client);

// Reads keys, indexes, billing mode and throughput, stream, table class, deletion protection, tags
// and time to live. Omits what the endpoint does not know. `new_name` is the name of the table to
// create.
tl::expected<TableSchema, Failure> read_schema(DynamodbClient& client, std::string_view table,
                                               std::string_view new_name);
// As above, of a table with this ARN.
tl::expected<TableSchema, Failure> read_schema(const Ask& ask, std::string_view table,
                                               const std::string& arn, std::string_view new_name);

// Parses a file for --seed (seed.h). `name` is the table's; the text may omit it and must not
// contradict it. The error is for people.
tl::expected<TableSchema, std::string> parse_schema(const std::string& text, std::string_view name);

// Calls the function with each tag of a table, an object with Key and Value. Returns whether the
// endpoint has tags; if not, the function is never called.
tl::expected<bool, Failure> each_tag(const Ask& ask, const std::string& arn,
                                     const std::function<void(const JsonNode&)>& show);

// Adds a tag to the body of a CreateTable. The error is for people: it has the maximum number of
// tags.
tl::expected<std::string, std::string> with_tag(const std::string& create_body,
                                                std::string_view key);

// Creates the table without its time to live, and waits until it is ACTIVE.
tl::expected<void, Failure> make_table(DynamodbClient& client, std::string_view table,
                                       const TableSchema& schema);

// No-op without an attribute, or if it is enabled already.
tl::expected<void, Failure> enable_ttl(DynamodbClient& client, std::string_view table,
                                       std::string_view attribute);

// The names of all tables, in the endpoint's order.
tl::expected<std::vector<std::string>, Failure> list_tables(DynamodbClient& client);

}  // namespace stator::data

// A table's description, made into what makes it again.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "server/data/dynamodb_client.h"

namespace stator::data {

// The tag of a table that --seed is loading (seed.h).
inline constexpr std::string_view kSeedingTag = "stator:seeding";

struct TableSchema {
  std::string create_body;    // of CreateTable, tags included
  std::string ttl_attribute;  // empty: no time to live
};

// Keys, indexes, billing mode and throughput, stream, table class, deletion protection, tags, time
// to live; what the endpoint has no notion of is left out.
tl::expected<TableSchema, Failure> read_schema(DynamodbClient& client, std::string_view table);

// Of a file for --seed (seed.h). `name` is the table's, which the text need not tell and must not
// contradict. The error is for people.
tl::expected<TableSchema, std::string> parse_schema(std::string text, std::string_view name);

// Shows all tags of a table, an object each with Key and Value; none where the endpoint has none.
tl::expected<void, Failure> each_tag(DynamodbClient& client, const std::string& arn,
                                     const std::function<void(const JsonNode&)>& show);

// The body of a CreateTable with one tag more. The error is for people: it has as many as it may.
tl::expected<std::string, std::string> with_tag(const std::string& create_body,
                                                std::string_view key);

// Makes the table and waits until it is ACTIVE; without its time to live.
tl::expected<void, Failure> make_table(DynamodbClient& client, std::string_view table,
                                       const TableSchema& schema);

// Nothing to do without an attribute, or when it is so already.
tl::expected<void, Failure> enable_ttl(DynamodbClient& client, std::string_view table,
                                       std::string_view attribute);

// Names of all tables, in the endpoint's order.
tl::expected<std::vector<std::string>, Failure> list_tables(DynamodbClient& client);

}  // namespace stator::data

// The description of a table at an endpoint; creating and removing tables.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "server/data/transfer/dynamodb_client.h"

namespace stator::data {

struct IndexInfo {
  std::string name;
  bool is_local = false;
  std::vector<std::string> partition_keys;
  std::vector<std::string> sort_keys;
};

struct TableInfo {
  std::vector<std::string> keys;  // partition key, sort key
  // "S", "N" or "B" for each key attribute of the table and its indexes.
  std::map<std::string, std::string, std::less<>> types;
  std::string arn;
  std::string id;
  std::uint64_t size_bytes = 0;  // as the next
  std::uint64_t item_count = 0;  // from DescribeTable, which lags in the cloud
  std::string status = {};       // such as ACTIVE
  bool is_on_demand = false;
  std::vector<IndexInfo> indexes = {};
};

inline constexpr std::string_view kNoTable = "ResourceNotFoundException";

// {"TableName":"…"}
std::string table_body(std::string_view table);

tl::expected<TableInfo, Failure> describe_table(DynamodbClient& client, std::string_view table);

// Waits until the table and its indexes are ACTIVE, at most for the given time.
tl::expected<void, Failure> wait_active(DynamodbClient& client, std::string_view table,
                                        std::chrono::milliseconds patience);

// How long to wait for a table of another server: five times the timeout of a response.
std::chrono::milliseconds active_patience(const DynamodbClient& client);

// Deletes the table, protected or not, and waits until it is gone. No-op if it is missing.
tl::expected<void, Failure> remove_table(DynamodbClient& client, std::string_view table);

// Parses "pk:S" or "pk:S,sk:N"; empty if invalid.
std::optional<TableInfo> info_of_key(std::string_view key);
// The body of a CreateTable with these keys and global indexes, on-demand. The indexes project all
// attributes. `stream`: a StreamViewType; empty: no stream.
std::string create_body(std::string_view table, const TableInfo& info,
                        std::string_view stream = {});

}  // namespace stator::data

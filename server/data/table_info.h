// What a table is, as its endpoint describes it; making and removing one.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "server/data/dynamodb_client.h"

namespace stator::data {

struct TableInfo {
  std::vector<std::string> keys;  // partition key, sort key
  // "S", "N" or "B" of what is a key of the table or of an index.
  std::map<std::string, std::string, std::less<>> types;
  std::string arn;
  std::string id;
  std::uint64_t size_bytes = 0;  // as the next
  std::uint64_t item_count = 0;  // as told, which lags in the cloud
};

inline constexpr std::string_view kNoTable = "ResourceNotFoundException";

// {"TableName":"…"}
std::string table_body(std::string_view table);

tl::expected<TableInfo, Failure> describe_table(DynamodbClient& client, std::string_view table);

// Waits until the table and its indexes are ACTIVE, for so long.
tl::expected<void, Failure> wait_active(DynamodbClient& client, std::string_view table,
                                        std::chrono::milliseconds patience);

// How long a table of another server may take: five times what its answers may.
std::chrono::milliseconds active_patience(const DynamodbClient& client);

// Deletes the table, protected or not, and waits until it is gone; nothing to do when it is not
// there.
tl::expected<void, Failure> remove_table(DynamodbClient& client, std::string_view table);

// "pk:S" or "pk:S,sk:N" to the body of a CreateTable, on demand. Empty: it cannot be read.
std::string create_body(std::string_view table, std::string_view key);

}  // namespace stator::data

// What the transactions of a model run have in common.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "tests/model/data_plane/oracle/json.h"
#include "tests/model/data_plane/oracle/table_model.h"

namespace stator::model {

inline constexpr std::size_t kActionsMax = 100;
inline constexpr std::size_t kTransactionBytesMax = 4 * 1024 * 1024;

inline constexpr const char* kWrite = "TransactWriteItems";
inline constexpr const char* kGet = "TransactGetItems";
inline constexpr const char* kStatements = "ExecuteTransaction";
inline constexpr const char* kTwice =
    "Transaction request cannot include multiple operations on one item";
inline constexpr const char* kKeyMismatch = "The provided key element does not match the schema";

// The type of an error with its namespace.
std::string aws(const std::string& name);

// ConsumedCapacity by table. `told_as_well` as in consumed_json().
Json capacity_json(const std::string& mode, const std::map<std::string, Units>& units,
                   const char* told_as_well);

// That of a transaction of more than 4 MB.
std::string payload_too_large(std::size_t size_bytes);

}  // namespace stator::model

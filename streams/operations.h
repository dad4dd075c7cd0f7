// The operations on streams, an operation family; one file each. With them, all that the program
// has.
#pragma once

#include <vector>

#include "engine/operations/operation.h"

namespace stator {

inline constexpr std::string_view kDynamoDbStreamsTarget = "DynamoDBStreams_20120810.";

OperationFamily stream_operations();

// The engine's families and the one above: the program's table of operations.
std::vector<OperationFamily> all_families();
// Besides those, the operations of Kinesis on streams that this server hosts: all that it answers.
std::vector<OperationFamily> served_families();

}  // namespace stator

// The operations on streams, a family of their own: one file each.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

inline constexpr std::string_view kDynamoDbStreamsTarget = "DynamoDBStreams_20120810.";

OperationFamily stream_operations();

}  // namespace stator

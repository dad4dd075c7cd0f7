// The operations of Kinesis on streams that this server hosts. They are not in the table of
// DynamoDB's operations: streams/operations.h adds them to what the server answers.
#pragma once

#include "engine/operations/operation.h"

namespace stator {

OperationFamily kinesis_stream_operations();

}  // namespace stator

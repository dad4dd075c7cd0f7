// The stream that CreateTable or UpdateTable gives a table.
#pragma once

#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"

namespace stator {

// Builds a stream from a StreamSpecification that enables one. No other stream of a table of this
// name, deleted ones included, has its label.
Result<StreamSettings> build_stream(const JsonNode& specification, const Table& table,
                                    const Snapshot& snapshot);

}  // namespace stator

// The stream that CreateTable or UpdateTable gives a table.
#pragma once

#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "protocol/json_tree.h"
#include "protocol/result.h"

namespace stator {

// From a StreamSpecification that enables one. Its label is that of no other stream of a table of
// that name, those of deleted tables included.
Result<StreamSettings> build_stream(const JsonNode& specification, const Table& table,
                                    const Snapshot& snapshot);

}  // namespace stator

// What the filter of a SELECT names and its index does not carry.
#pragma once

#include <span>

#include "engine/operations/partiql/key_regions.h"
#include "engine/pages/read_target.h"
#include "protocol/arena.h"
#include "protocol/expression/ast.h"

namespace stator {

// One path for each attribute that the service tells of, in its order: those of the region with the
// greatest partition key; empty: one of the regions lacks nothing, and the SELECT is served.
std::span<const expr::Path> paths_not_carried(std::span<const KeyRegion> regions,
                                              const ReadTarget& target, Arena& arena);

}  // namespace stator

// The attributes in a SELECT's filter that its index does not carry.
#pragma once

#include <span>

#include "engine/operations/partiql/key_regions.h"
#include "engine/pages/read_target.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/memory/arena.h"

namespace stator {

// One path for each attribute that the service's error names, in its order: those of the region
// with the greatest partition key. Empty if some region needs no missing attribute; the SELECT is
// then served.
std::span<const expr::Path> paths_not_carried(std::span<const KeyRegion> regions,
                                              const ReadTarget& target, Arena& arena);

}  // namespace stator

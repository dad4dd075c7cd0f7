// Batches whose answer leaves parts for another request, although nothing hinders them: for faults
// on demand.
#pragma once

#include <cstddef>
#include <span>

namespace stator {

struct Call;

// Makes a BatchWriteItem or BatchGetItem return these parts unprocessed and do the others. `places`
// count from 0, in the order of Operation::resources(), whose number is `parts`. REQUIRES: the
// call is parsed and of one of these operations; `places` are below `parts`, and not all of them.
void leave_unprocessed(Call& call, std::span<const std::size_t> places, std::size_t parts);

}  // namespace stator

// Which shards of a stream can be read: a child waits until its parent is finished.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "engine/schema/stream.h"

namespace stator::triggers {

// The shards, by their place in `shards`, that are not finished and whose parent is finished or
// gone. REQUIRES: `shards` is all of a stream, in the order of their ids.
std::vector<std::size_t> readable_shards(
    const std::vector<Shard>& shards, const std::function<bool(std::string_view id)>& is_finished);

}  // namespace stator::triggers

// SpaceId: the number under which the records of a table or an index are kept.
#pragma once

#include <cstdint>

namespace stator::storage {

// Zero: not numbered yet. A number is never used again.
enum class SpaceId : std::uint32_t {};

}  // namespace stator::storage

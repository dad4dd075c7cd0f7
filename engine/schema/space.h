// SpaceId: the number under which the records of a table or an index are stored.
#pragma once

#include <cstdint>

namespace stator::storage {

// Zero if not assigned yet. A number is never reused.
enum class SpaceId : std::uint32_t {};

}  // namespace stator::storage

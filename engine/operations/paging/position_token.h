// NextTokens of lists of jobs: the position after a page, in hexadecimal digits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/storage/descriptions/description_store.h"
#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"

namespace stator {

// `unit_bytes`: the token stands for a multiple of this many bytes.
std::string position_token(const storage::DescriptionPosition& position,
                           std::size_t unit_bytes = 1);

// The position of a token, also one of another list. Error for another text.
Result<storage::DescriptionPosition> read_position_token(std::string_view text, Arena& arena);

}  // namespace stator

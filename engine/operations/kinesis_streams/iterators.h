// Iterators of hosted streams of Kinesis: sealed positions, which a client passes from one
// GetRecords call to the next.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/schema/space.h"
#include "engine/seams/clock.h"
#include "protocol/memory/arena.h"

namespace stator::kinesis {

inline constexpr std::chrono::minutes kIteratorLife{5};

struct Iterator {
  std::string_view stream;   // name
  storage::SpaceId space{};  // tells streams of one name apart
  std::uint32_t shard = 0;
  std::uint64_t position = 0;  // the first number not read yet
  Timestamp issued;
};

std::string write_iterator(const Iterator& iterator, std::string_view secret);
// Empty if the text was not written with this secret. Views into the arena.
std::optional<Iterator> read_iterator(std::string_view text, std::string_view secret, Arena& arena);

}  // namespace stator::kinesis

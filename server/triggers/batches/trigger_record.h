// TriggerRecord: a record of a stream on its way to a function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/seams/clock.h"

namespace stator::triggers {

// An event has at most as many bytes.
inline constexpr std::size_t kEventBytesMax = 6'291'456;
// What surrounds the records in an event, at most, without a window's state.
inline constexpr std::size_t kEventFrameBytes = 1024;

struct TriggerRecord {
  std::uint64_t number = 0;  // of the journal
  Timestamp written = {};
  std::string json = {};  // as the function receives it
};

// The lane of a partition key among `lanes`: equal keys have equal lanes, in every process.
std::uint32_t lane_of(std::string_view partition_key, std::uint32_t lanes);

}  // namespace stator::triggers

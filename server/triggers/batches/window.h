// Tumbling windows: equal spans of time, from 1970 on, whose records share a state that the
// function returns from each call and gets with the next. One for each shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/seams/clock.h"

namespace stator::triggers {

// A larger state ends its window early.
inline constexpr std::size_t kWindowStateBytesMax = std::size_t{1} << 20;

struct TumblingWindow {
  Timestamp start = {};
  Timestamp end = {};
  std::string state = "{}";  // JSON
  bool is_too_large = false;

  bool has(Timestamp time) const { return time >= start && time < end; }
  void take_state(std::string next) {
    state = std::move(next);
    is_too_large = state.size() > kWindowStateBytesMax;
  }
};

// The window of `length_s` seconds that has this time. REQUIRES: length_s > 0.
TumblingWindow window_of(Timestamp time, std::int32_t length_s);

}  // namespace stator::triggers

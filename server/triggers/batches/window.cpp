#include "server/triggers/batches/window.h"

namespace stator::triggers {

TumblingWindow window_of(Timestamp time, std::int32_t length_s) {
  const std::int64_t length_us = std::int64_t{length_s} * 1'000'000;
  TumblingWindow window;
  window.start = {time.unix_us / length_us * length_us};
  window.end = {window.start.unix_us + length_us};
  return window;
}

}  // namespace stator::triggers

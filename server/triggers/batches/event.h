// The event that a function is called with.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/triggers/batches/trigger_record.h"
#include "server/triggers/batches/window.h"

namespace stator::triggers {

// {"Records":[…]}
std::string event_of(std::span<const TriggerRecord> records);

// How a call stands to its window.
struct WindowCall {
  const TumblingWindow& window;
  std::string_view shard_id;
  std::string_view stream_arn;
  bool is_final = false;
};
std::string event_of(std::span<const TriggerRecord> records, const WindowCall& call);

// "2020-07-30T17:00:00Z"
std::string iso_seconds(Timestamp time);

}  // namespace stator::triggers

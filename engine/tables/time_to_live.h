// The setting of time to live as its table shows it.
#pragma once

#include <string_view>

#include "engine/schema/table.h"
#include "engine/seams/clock.h"

namespace stator {

struct ShownTimeToLive {
  std::string_view status;          // "ENABLED", or DISABLED, ENABLING, DISABLING
  std::string_view attribute_name;  // empty if disabled; a view of the table
};
// A disabled setting looks like one that was never set.
ShownTimeToLive shown_time_to_live(const Table& table, Timestamp now);

}  // namespace stator

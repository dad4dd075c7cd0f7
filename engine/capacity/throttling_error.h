// The response to a throttled request: the exceptions, their texts and the member that lists the
// reasons.
#pragma once

#include <span>
#include <string>

#include "engine/capacity/parameters.h"
#include "engine/capacity/throttling_reason.h"
#include "protocol/errors/error.h"

namespace stator::capacity {

// One entry of ThrottlingReasons.
struct ThrottledResource {
  ThrottlingReason reason;
  bool is_on_demand = false;  // the mode of the table and its indexes
  std::string arn;            // the table's or index's
};

// REQUIRES: `resources` is not empty; the table precedes its indexes. The first entry decides the
// exception and its text.
Error throttling_error(std::span<const ThrottledResource> resources,
                       IndexErrors index_errors = IndexErrors::ByCause);

// Whether the error is one of the throttling exceptions.
bool is_throttled(const Error& error);

}  // namespace stator::capacity

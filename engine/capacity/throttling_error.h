// What a refused request is answered: the exceptions of throttling, their texts and the member that
// lists the reasons.
#pragma once

#include <span>
#include <string>

#include "engine/capacity/parameters.h"
#include "engine/capacity/throttling_reason.h"
#include "protocol/error.h"

namespace stator::capacity {

// One entry of ThrottlingReasons.
struct ThrottledResource {
  ThrottlingReason reason;
  bool is_on_demand = false;  // the mode of the table, and so of its indexes
  std::string arn;            // of the table or the index
};

// REQUIRES: not empty; the table before its indexes. The first entry decides the exception and its
// text.
Error throttling_error(std::span<const ThrottledResource> resources,
                       IndexErrors index_errors = IndexErrors::ByCause);

// Whether it is one of those exceptions.
bool is_throttled(const Error& error);

}  // namespace stator::capacity

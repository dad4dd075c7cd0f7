// What is kept of a request when it is answered.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "engine/call/call.h"
#include "engine/seams/clock.h"
#include "protocol/error.h"
#include "server/explain/recent_requests.h"

namespace stator {

// Views of one exchange.
struct AnsweredRequest {
  const Call& call;
  const Error* error;          // nullptr: call.reply is the answer
  std::string_view id;         // x-amzn-RequestId; empty: it has none yet
  std::string_view operation;  // as it was named, built or not
  std::string_view asked;      // the body's beginning
  std::size_t asked_bytes;     // of the whole body
  Timestamp now;
  std::chrono::nanoseconds took;
};

// REQUIRES: `kept` has no texts.
void keep(const AnsweredRequest& answered, RecentRequest& kept);

}  // namespace stator

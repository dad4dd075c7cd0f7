// What is known about a request when its response is complete.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "engine/call/call.h"
#include "engine/seams/clock.h"
#include "protocol/errors/error.h"
#include "server/explain/requests/recent_requests.h"
#include "server/faults/fault_rules.h"

namespace stator {

// The error of a service that has no Error for it.
struct OtherError {
  std::string_view name;  // empty: none
  std::string_view message;
};

// Views of one exchange.
struct CompletedRequest {
  const Call& call;
  const Error* error;          // nullptr on success; call.reply is the response
  std::string_view id;         // x-amzn-RequestId; empty if it has none yet
  std::string_view operation;  // as sent, known or not
  std::string_view asked;      // the body's beginning
  std::size_t body_bytes;      // of the whole body
  Timestamp now;
  std::chrono::nanoseconds took;
  bool is_of_console = false;
  bool is_of_agent = false;
  std::uint16_t status = 200;                    // 0: the connection ended instead
  const faults::InjectedFault* fault = nullptr;  // nullptr: none
  bool is_committed = false;                     // what a write with a fault asked for was done
  std::string_view agent = {};                   // the User-Agent
  std::uint64_t connection = 0;
  OtherError other_error = {};  // if `error` is nullptr; call.reply has its JSON
};

// The ring for the request. Does not read tables, so a success in the ring for hints may have none.
RecentKind kind_of(const CompletedRequest& answered);

// Copies the request to `kept`. REQUIRES: `kept` has no texts.
void keep(const CompletedRequest& answered, RecentRequest& kept);

}  // namespace stator

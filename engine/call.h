// Call: one request on its way through the engine. Owns everything that lives as long as the
// request.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/arena.h"
#include "protocol/wording.h"

namespace stator {

struct Operation;
struct Settings;

// Who asks, as far as the request says. Views into the request's header, which outlives the call.
struct Caller {
  std::string_view region;      // of the signature's credential scope
  std::string_view access_key;  // of the same
  std::string_view host;        // Host header, for DescribeEndpoints
};

struct Call {
  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Ready for the next request; keeps a little memory.
  void reset();

  Arena arena;
  Caller caller;
  const Settings* settings = nullptr;
  const Operation* operation = nullptr;
  Wording wording;

  // What Operation::parse made of the body; lives in the arena.
  const void* request = nullptr;

  // The answer's body when the call succeeded.
  std::string reply;

  // For the request log: the table named, and capacity units consumed in thousandths.
  std::string_view table_name;
  std::int64_t units_milli = 0;
};

}  // namespace stator

// Call: one request on its way through the engine. Owns everything that lives as long as the
// request.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/call/charging.h"
#include "engine/call/work.h"
#include "protocol/arena.h"
#include "protocol/memory_budget.h"
#include "protocol/wording.h"

namespace stator {

namespace expr {
class ExpressionCache;
}
namespace partiql {
class StatementCache;
}
struct Operation;
struct Settings;

enum class Access : std::uint8_t { Read, Write };

// Who asks, as far as the request says. Views into the request's header, which outlives the call.
struct Caller {
  std::string_view region;      // of the signature's credential scope
  std::string_view access_key;  // of the same
  std::string_view host;        // Host header, for DescribeEndpoints
};

// How a read walked through tables and indexes, for whoever tells of the call. A statement, and a
// batch of them, may walk more than once; then way and end are those of the last.
struct Walked {
  enum class Way : std::uint8_t { None, Query, Scan };
  // Behind All nothing is left. Otherwise another page follows, which may be empty.
  enum class End : std::uint8_t { All, Limit, Bytes, FilterSteps, Throttling };

  Way way = Way::None;
  End end = End::All;
  std::int32_t pages = 0;
  std::string_view index_name = {};  // empty: the table; valid as long as the request
  std::int64_t items_looked_at = 0;
  std::int64_t items_matched = 0;
  std::int64_t size_bytes = 0;  // of what counts towards the limit of a page
};

// What of a batch was not done though it was answered with success, for whoever tells of the call.
struct LeftUndone {
  std::int32_t parts = 0;
  std::int32_t throttled = 0;         // of them
  std::int32_t first_place = 0;       // of a statement that failed, from 1; 0: there is none
  std::string_view first_error = {};  // its code and message; in the call's arena
};

struct Call {
  Call() { arena.charge_to(memory); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Ready for the next request; keeps a little memory.
  void reset();

  // Takes what the answer has grown to, as far as it is much. To be called while it grows. Throws
  // MemoryExhausted.
  void charge_reply() {
    constexpr std::size_t kReplyBytesFree = 64 * 1024;
    const std::size_t held_bytes = reply.capacity();
    if (held_bytes <= reply_bytes_charged + kReplyBytesFree) return;
    memory.take(held_bytes - reply_bytes_charged);
    reply_bytes_charged = held_bytes;
  }

  // What the call holds of the memory for all; before the arena, which takes from it.
  MemoryAccount memory;
  Arena arena;
  Caller caller;
  const Settings* settings = nullptr;
  const Operation* operation = nullptr;
  Wording wording;
  // For the request's expressions; set by Engine::parse, may be nullptr.
  expr::ExpressionCache* expressions = nullptr;
  // For its statements; set likewise.
  partiql::StatementCache* statements = nullptr;

  // What was done for it, and who waits: whoever runs the call may begin() it with an Audience
  // after reset().
  Work work;

  // What it takes of the throughput of tables.
  Charging charging;

  // What Operation::parse made of the body; lives in the arena.
  const void* request = nullptr;
  // Whether that reads or writes.
  Access access = Access::Read;
  // Whether the answer must know every write answered before. Operation::parse clears it for
  // eventually consistent reads, which may see the past (Settings::eventual_read_lag).
  bool consistent_read = true;

  // The answer's body when the call succeeded.
  std::string reply;
  std::size_t reply_bytes_charged = 0;

  Walked walked;
  LeftUndone undone;

  // For the request log: the table named, and capacity units consumed in thousandths.
  std::string_view table_name;
  std::int64_t units_milli = 0;
};

}  // namespace stator

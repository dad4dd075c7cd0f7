// Call: one request in the engine. Owns everything that lives as long as the request.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "engine/call/charging.h"
#include "engine/call/work.h"
#include "protocol/memory/arena.h"
#include "protocol/memory/memory_budget.h"
#include "protocol/service/wording.h"

namespace stator {

namespace expr {
class ExpressionCache;
}
namespace partiql {
class StatementCache;
}
struct Operation;
struct Settings;
struct StoredError;

enum class Access : std::uint8_t { Read, Write };

// The client, as described by the request. Views into the request's header, which outlives the
// call.
struct Caller {
  std::string_view region;      // from the signature's credential scope
  std::string_view access_key;  // from the same
  std::string_view host;        // Host header, for DescribeEndpoints
};

// Statistics of reading tables and indexes, for reports on the call. A statement, or a batch of
// statements, may read more than once; `way` and `end` are then those of the last read.
struct ReadStats {
  enum class ReadKind : std::uint8_t { None, Query, Scan };
  // All: nothing is left. Otherwise another page follows, which may be empty.
  enum class End : std::uint8_t { All, Limit, Bytes, FilterSteps, Throttling, Fault };

  ReadKind way = ReadKind::None;
  End end = End::All;
  std::int32_t pages = 0;
  std::string_view index_name = {};  // empty for the table; valid as long as the request
  std::int64_t items_scanned = 0;
  std::int64_t items_matched = 0;
  std::int64_t size_bytes = 0;  // bytes that count towards the limit of a page
};

// Parts of a batch that failed although the request succeeded.
struct PartialFailure {
  std::int32_t parts = 0;
  std::int32_t throttled = 0;         // number of throttled parts
  std::int32_t first_place = 0;       // the first failed statement, from 1; 0 if none
  std::string_view first_error = {};  // its error's code and message; in the call's arena
};

// The capacity units that a request consumed of one index, in thousandths.
struct IndexUse {
  std::string_view table_name;  // as in the request
  std::string_view index_name;
  std::int64_t units_milli;
};

// A member of a batch whose members fail alone, which its sender may not do.
struct DeniedMember {
  std::size_t place;         // from 0
  std::string_view message;  // of the error
};

// One that fails on demand.
struct FailedMember {
  std::size_t place;  // from 0
  const StoredError* error;
};

struct Call {
  Call() { arena.charge_to(memory); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Prepares for the next request; retains a little memory.
  void reset();

  // Charges the growth of the response to the memory budget, in large steps. Call while the
  // response grows. Throws MemoryExhausted.
  void charge_response() {
    constexpr std::size_t kReplyBytesFree = 64 * 1024;
    const std::size_t held_bytes = reply.capacity();
    if (held_bytes <= reply_bytes_charged + kReplyBytesFree) return;
    memory.take(held_bytes - reply_bytes_charged);
    reply_bytes_charged = held_bytes;
  }

  // The call's share of the memory budget; declared before the arena, which charges it.
  MemoryAccount memory;
  Arena arena;
  Caller caller;
  const Settings* settings = nullptr;
  // The settings of the account whose tables the call uses; nullptr: those of the engine. Their
  // account and scope_prefix alone may differ.
  const Settings* settings_of_account = nullptr;
  const Operation* operation = nullptr;
  Wording wording;
  // Set before Engine::parse(), for operations that have such members.
  std::span<const DeniedMember> denied_members = {};
  // Set after Engine::parse(), for BatchExecuteStatement.
  std::span<const FailedMember> failed_members = {};
  // For the request's expressions; set by Engine::parse, may be nullptr.
  expr::ExpressionCache* expressions = nullptr;
  // For the request's statements; set by Engine::parse, may be nullptr.
  partiql::StatementCache* statements = nullptr;

  // Counts the call's work. After reset(), the caller may begin() it with an StopCondition.
  Work work;

  // The call's use of table throughput.
  Charging charging;

  // The parsed body from Operation::parse; lives in the arena.
  const void* request = nullptr;
  // Whether the request reads or writes.
  Access access = Access::Read;
  // Whether a tool of the server's own sent the request: the log does not report its throttling.
  bool is_of_own_tool = false;
  // Whether the response must reflect every acknowledged write. Operation::parse clears it for
  // eventually consistent reads, which may read an older state (Settings::eventual_read_lag).
  bool consistent_read = true;

  // The body of the response, if the call succeeded.
  std::string reply;
  std::size_t reply_bytes_charged = 0;

  // The client token of a transaction; empty if it has none.
  std::string_view client_token;
  // Faults on demand, set after Engine::parse(). A page of a Query, a Scan or a statement ends at
  // this number of items; a transaction looks for no earlier one with its token; an eventually
  // consistent read uses a state of this age, if that is retained (Engine::retain_states()).
  std::size_t page_items_max = std::numeric_limits<std::size_t>::max();
  bool forgets_token = false;
  std::chrono::microseconds state_age{0};

  ReadStats walked;
  PartialFailure undone;

  // For the request log: the named table, and the capacity units consumed, in thousandths. Of them,
  // those of each index, in the arena; empty if no index was charged.
  std::string_view table_name;
  std::int64_t units_milli = 0;
  std::span<const IndexUse> index_uses = {};
};

}  // namespace stator

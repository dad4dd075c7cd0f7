// FaultRule: which requests fail on demand, which of them, and how. Plain values, read from JSON by
// rule_reader.h. docs/faults.md describes the members.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/capacity/throttling_reason.h"
#include "engine/seams/clock.h"
#include "protocol/errors/error.h"

namespace stator::faults {

inline constexpr std::size_t kFaultRulesMax = 256;
inline constexpr std::chrono::microseconds kFaultDelayMax = std::chrono::hours(1);

enum class RequestGroup : std::uint8_t {
  Reads,  // of items, by what the request does: a SELECT is a read
  Writes,
  Batches,
  Transactions,
  Control,  // tables, backups and all else that is not items or streams
  Streams,
};

// A group, or a glob for names.
struct OperationPattern {
  std::optional<RequestGroup> group;
  std::string glob;
};

// Bounds are ordered bytes (protocol/number/number.h) and included; empty: none.
struct NumberRange {
  std::string from;
  std::string to;
};

// A header of the request, in lower case, and a glob for its value.
struct HeaderPattern {
  std::string name;
  std::string glob;
};

struct KeyPattern {
  std::string attribute;
  std::string text;  // a glob for S, the beginning of the Base64 for B
  std::optional<NumberRange> numbers;
};

// All members must fit; empty ones fit everything. Table, index and key must fit together: one
// table, index or item that the request names.
struct FaultMatch {
  std::vector<OperationPattern> operations;  // one must fit
  std::optional<std::string> table;
  std::optional<std::string> index;  // empty text: the table alone
  std::vector<KeyPattern> key;
  std::optional<std::string> region;
  std::optional<std::string> access_key;
  std::optional<std::string> user_agent;
  std::vector<HeaderPattern> headers;
  std::optional<bool> is_consistent;  // whether a read of items sees every earlier write
};

struct AttemptPattern {
  std::vector<std::uint64_t> listed;
  std::uint64_t from = 1;  // without `listed`
  std::uint64_t to = UINT64_MAX;
};

// All conditions must hold. Numbers count the requests that match, from 1; `skip` lets the first
// ones pass, and the other numbers count after it. 0: no such condition.
struct FaultWhen {
  std::vector<std::uint64_t> nth;
  std::uint64_t every = 0;
  std::uint64_t first = 0;
  std::uint64_t skip = 0;
  // Whose requests a number counts: those of all, of one access key, or of one key of items, which
  // the rule's match names.
  enum class CountBy : std::uint8_t { All, Client, Key };
  CountBy count_by = CountBy::All;
  std::optional<AttemptPattern> attempt;
  std::optional<double> probability;
  std::uint64_t times = 0;
  // By the engine's clock.
  std::optional<Timestamp> from;
  std::optional<Timestamp> until;
  std::optional<std::chrono::microseconds> lasts;  // after `from`, or after the rule was made
};

struct FaultDelay {
  enum class Kind : std::uint8_t {
    Fixed,      // `low`
    Uniform,    // from `low` to `high`
    Lognormal,  // median `low`, 99th percentile `high`
  };
  Kind kind = Kind::Fixed;
  std::chrono::microseconds low{0};
  std::chrono::microseconds high{0};
  bool is_after = false;   // the commit, else before anything
  bool is_engine = false;  // time of the engine's clock, else of the wire
};

struct NamedReason {
  capacity::ThrottlingReason reason;
  std::string resource;  // an ARN; empty: the request's table or index
};

struct FaultError {
  ErrorCode code{};
  std::optional<std::string> message;  // empty: the service's
  std::uint16_t status = 0;            // 0: the service's
  std::vector<NamedReason> reasons;    // empty: the usual one, for errors that have reasons
  bool is_after = false;               // the request is executed and committed first
  bool is_any = false;                 // also for operations that do not have the error
};

// A transaction that is cancelled. The reason of each action, by its position from 0.
struct FaultCancel {
  std::map<std::size_t, ErrorCode> reasons;
  std::optional<ErrorCode> of_all;  // of the positions not in `reasons`
};

struct FaultDrop {
  enum class How : std::uint8_t { Fin, Rst, Hang };
  How how = How::Fin;
  bool is_after = false;  // the request is executed and committed first
};

// What is wrong with the bytes of an answer that is complete.
struct FaultCorrupt {
  enum class How : std::uint8_t {
    Crc,    // the header x-amz-crc32
    Byte,   // one byte of the body
    Cut,    // the connection ends after half of the body
    Empty,  // no body
    Json,   // the second half of the body is missing, its length and sum are right
  };
  How how = How::Crc;
};

// Parts of a batch that the answer leaves for another request; statements of one fail. One of the
// first four members is set.
struct FaultUnprocessed {
  std::vector<std::size_t> places;  // from 0
  std::size_t count = 0;            // the last ones
  double fraction = 0;              // the last ones, rounded up
  bool is_matching = false;         // those that fit the rule's table and key
  std::optional<ErrorCode> error;   // of each statement; empty: the usual one
};

// A page of a Query, a Scan or a SELECT that ends early. It has one record at least that was looked
// at, so that the next one begins after it.
struct FaultPage {
  std::size_t items = 0;  // at most, unless the first record is one more
};

// GetRecords with an iterator that is too old, or whose records are gone.
struct FaultStream {
  bool is_trimmed = false;
};

// A transaction with a client token.
struct FaultToken {
  enum class How : std::uint8_t {
    Forgotten,  // the transaction runs again, as ten minutes after the first
    Running,    // TransactionInProgressException
    Mismatch,   // IdempotentParameterMismatchException
  };
  How how = How::Forgotten;
};

// The body of the answer comes in pieces.
struct FaultDrip {
  std::size_t bytes = 1;
  std::chrono::microseconds every{0};
};

// Eventually consistent reads see a state of this age.
struct FaultStale {
  std::chrono::microseconds age{0};
};

// What another server than the service's answers, such as a proxy. Nothing is executed.
struct FaultHttp {
  std::uint16_t status = 0;
  std::string header_lines;
  std::string body;
};

struct FaultEffect {
  std::optional<FaultDelay> delay;
  std::variant<std::monostate, FaultError, FaultCancel, FaultDrop, FaultCorrupt, FaultUnprocessed,
               FaultPage, FaultStream, FaultToken, FaultDrip, FaultStale, FaultHttp>
      rest;
  bool goes_on = false;  // a delay alone: later rules are asked, too

  // "delay", "error", "error after", "cancel", "drop before", "drop after", "corrupt crc",
  // "unprocessed", "page", "stream expired", "token forgotten", "drip", "stale", "http"
  std::string_view name() const;
  // Whether the request is executed although the client gets no valid answer.
  bool is_after() const;
};

struct FaultRule {
  std::string name;
  FaultMatch match;
  FaultWhen when;
  FaultEffect effect;
  bool is_hidden = false;  // answers do not say that they were injected
  // Asked once the sender is known, before the request is read; else once it is valid.
  bool is_for_arrival = false;
  std::string text;  // the rule as JSON, without its name
};

// Whether `operation` can answer the error in the service, by the API model.
bool can_answer(std::string_view operation, ErrorCode code);

}  // namespace stator::faults

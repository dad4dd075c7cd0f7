// BatchRun: a batch of records from its first call until each record is delivered or discarded:
// retries, halves, partial failures, age. Pure: no clock and no calls.
//
// After a failure: too old records are discarded, then a batch of several is divided if the mapping
// wants that, then a retry is used up, and without one left the batch is discarded.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/seams/clock.h"
#include "server/triggers/batches/function_answer.h"
#include "server/triggers/batches/trigger_record.h"

namespace stator::triggers {

struct MappingSettings;

// The pause after the n-th failure in a row, from 1: `first` doubles, up to a minute.
std::chrono::milliseconds retry_pause(std::chrono::milliseconds first, unsigned failures);

enum class DiscardReason : std::uint8_t { RetryAttemptsExhausted, RecordAgeExceeded };
std::string_view to_text(DiscardReason reason);  // as in the message

// Records that the function will not get any more.
struct Discard {
  DiscardReason reason = DiscardReason::RetryAttemptsExhausted;
  std::span<const TriggerRecord> records;  // of the run; empty: a window's call without records
  unsigned calls = 0;                      // with the first of them
};

// How often a part of a batch was called with: of its records those with numbers below `end` that
// no part after it in the list has. The ends fall.
struct PieceNote {
  std::uint64_t end = 0;
  unsigned calls = 0;

  bool operator==(const PieceNote&) const = default;
};

class BatchRun {
 public:
  // `records` may be empty: the last call of a window. `notes`: of an earlier run with them.
  explicit BatchRun(std::vector<TriggerRecord> records, std::span<const PieceNote> notes = {});

  // What the next call sends.
  std::span<const TriggerRecord> current() const;
  // Whether no call is left.
  bool is_done() const { return pieces_.empty(); }
  // Calls so far with the first record of current().
  unsigned calls() const { return pieces_.back().calls; }
  // Failures since the last progress.
  unsigned failures() const { return failures_; }
  // The number of the first record that is not done; empty if all are.
  std::optional<std::uint64_t> first_number() const;
  std::size_t bytes() const { return bytes_; }
  // What another run needs to go on from here; empty: nothing that its records do not say.
  std::vector<PieceNote> notes() const;

  // To call before each call. Discards the first records of current() that are older than the
  // mapping's limit at `now`, or are below `horizon`, the first number that the stream still has.
  std::optional<Discard> discard_old(Timestamp now, const MappingSettings& settings,
                                     std::uint64_t horizon);

  struct Outcome {
    std::size_t done = 0;  // records of current() that the function has done
    bool has_failed = false;
    std::optional<Discard> discard;
    std::string state;  // of the window; empty: unchanged
    std::string why;    // if it has failed
  };
  // Takes the end of a call with current().
  Outcome settle(const CallResult& result, const MappingSettings& settings, bool has_window);

 private:
  // Records up to `end`, whose first one was called with `calls` times.
  struct Piece {
    std::size_t end;
    unsigned calls;
  };
  void advance(std::size_t count);
  void end_piece();
  void divide();
  std::optional<Discard> use_retry(const MappingSettings& settings);

  std::vector<TriggerRecord> records_;
  std::size_t bytes_ = 0;
  std::size_t begin_ = 0;      // what is before is done
  std::vector<Piece> pieces_;  // the last one is current; ends fall
  unsigned failures_ = 0;
};

}  // namespace stator::triggers

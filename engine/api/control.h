// Controls an engine from outside its requests: marks, moving time, removing tables, deleting
// expired items. Their source files: marks.cpp, clock_moves.cpp, removals.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/call/work.h"
#include "engine/seams/clock.h"
#include "engine/seams/movable_clock.h"

namespace stator {

class Engine;

// ---- Marks: named states of the data ----
//
// A rollback to a mark lets each test begin from the same state
// (engine/storage/environment/undo_log.h says how). It also turns the time back if it was moved.
// Marks persist with the data. Engine has the functions, which report a failure as a MarkOutcome;
// the log has the details.

inline constexpr std::size_t kMarksMax = 32;
inline constexpr std::size_t kMarkNameBytesMax = 64;

// 1 to 64 of A–Z, a–z, 0–9, hyphen, underscore and dot.
bool is_mark_name(std::string_view name);

enum class MarkOutcome : std::uint8_t {
  Done,
  Unknown,  // no mark has that name
  TooMany,  // there are kMarksMax
  NoRoom,   // the store is full, so it cannot record changes for the undo log
  WriteFailed,
};

struct NamedMark {
  std::string name;
  Timestamp made;
};

// A mark that the engine dropped by itself.
struct LostMark {
  NamedMark mark;
  std::string reason;  // "the store is full"
};

// ---- Steering: moves time forward as if it had passed ----

enum class AdvanceOutcome : std::uint8_t {
  Arrived,      // the clock shows `target`, and everything due until then is done
  Cancelled,    // the stop condition left
  WriteFailed,  // of a due chore, which stays due
};

// Moves the clock from one due time to the next, and does what is due before it moves on. Whatever
// the outcome, the clock keeps the time it has reached. Does bounded pieces of work and checks the
// stop condition between two. Beside writes that always make something due, takes a bounded number
// of steps, and does what is due when it arrives. Leaves the pace unchanged. No-op if `target` is
// not ahead. REQUIRES: the engine was opened on `clock`; no other thread moves it or calls
// engine.maintain() meanwhile.
AdvanceOutcome steer(Engine& engine, MovableClock& clock, Timestamp target,
                     StopCondition& stop_condition);

// Persists the time and pace of a movable clock. Returns whether this was committed.
bool store_clock(Engine& engine);

// ---- Reset: removes tables at once, whatever their state, protection and size ----

struct Reset {
  std::size_t tables = 0;   // removed tables that requests could see
  std::size_t streams = 0;  // closed streams that were removed
  bool is_whole = false;    // false if a write failed or the stop condition ended it
};

// Removes all tables and client tokens of the scopes (engine/call/scope.h) for which `is_meant`
// returns true, in several commits. May include tables created meanwhile. Sweeps their records
// later, like those of any removed table. Closes their streams; with Go also removes closed streams
// of those scopes.
enum class ClosedStreams : std::uint8_t { Stay, Go };
Reset reset_tables(Engine& engine, const std::function<bool(std::string_view scope)>& is_meant,
                   StopCondition& stop_condition, ClosedStreams streams = ClosedStreams::Stay);

// ---- Deleting expired items on request, not because they are due ----

struct ExpiredItems {
  enum class End : std::uint8_t {
    AllDeleted,
    Cancelled,    // the stop condition left
    WriteFailed,  // the last piece of it
  };

  std::uint64_t deleted = 0;
  End end = End::AllDeleted;
};

// Deletes all items that are expired now (engine/schema/expiry.h), in pieces, whatever
// Settings::ttl_delay and ttl_sweep_interval are. Includes tables whose expiry entries are still
// incomplete.
ExpiredItems delete_expired_items(Engine& engine, StopCondition& stop_condition);

}  // namespace stator

// Charging: a call's use of its tables' throughput.
//
// An event (an item's operation, or a page) asks for its charges once they are known. If it passes,
// its units are drawn at once, so that the next event finds less. They count as consumed only after
// the call's outcome is known, because a write that is not committed consumes nothing. An event
// that does not pass is throttled or, if the table only observes, served and reported.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/capacity/throttling_reason.h"
#include "engine/schema/capacity.h"
#include "engine/schema/runtime.h"
#include "engine/seams/clock.h"
#include "engine/throughput/admission.h"
#include "protocol/errors/error.h"

namespace stator {

struct Table;

// The charges of one event, the table's before its indexes'.
struct ChargedEvent {
  const Table& table;
  std::span<const Charge> charges;
  // How many of the last charges must pass but cost nothing, because the write turned out to change
  // nothing.
  std::size_t asked_only = 0;
};

// An event that was throttled, enforced or observed. The states of the table and of those that
// throttled have a ThrottleTally.
struct RefusedEvent {
  std::shared_ptr<TableRuntime> table;
  capacity::Dimension dimension = capacity::Dimension::Read;
  std::vector<capacity::Claim> claims;
  std::vector<std::shared_ptr<capacity::ThroughputState>> states;  // of the claims
  std::vector<capacity::Refusal> by;                               // who throttled it; not empty
  Timestamp at;
};

// A change of throughput before its quota allowed it, rejected or observed.
struct EarlyChange {
  std::string table_name;
  std::shared_ptr<TableRuntime> table;
  std::string index_name;            // empty for the table itself
  std::shared_ptr<TableRuntime> of;  // the index's, or the table's
  LimitedChange change = LimitedChange::Decrease;
  Timestamp at;
  std::string scope = {};  // the table's
  std::string region = {};
};

// REQUIRES: the data that charges point to stays valid until settle() or undo(). Only tables
// written by the same batch may be destroyed before; for a write this object therefore shares
// ownership of their throughput states. A read is settled while its tables exist.
class Charging {
 public:
  // Admits an event of one item. Draws all its charges except `asked_only`. Error: the throttling
  // exception; nothing was drawn.
  std::optional<Error> admit(const ChargedEvent& event, capacity::Dimension dimension,
                             Timestamp now);
  // Admits all events or none. Returns an optional error for each event; empty if all pass.
  std::vector<std::optional<Error>> admit_all(std::span<const ChargedEvent> events,
                                              capacity::Dimension dimension, Timestamp now);

  // For an event whose cost is known only at the end: begin() checks whether it may start, by its
  // minimum charges; end() charges the real cost.
  std::optional<Error> begin(const ChargedEvent& event, capacity::Dimension dimension,
                             Timestamp now);
  void end(const ChargedEvent& event, capacity::Dimension dimension, Timestamp now);

  // Charges units regardless of the limits.
  void charge(const ChargedEvent& event, capacity::Dimension dimension, Timestamp now);

  // Records a change before its quota allowed it; settle() counts it.
  void limit(EarlyChange event) { limited_.push_back(std::move(event)); }

  // Makes the call's outcome final: drawn units count as consumed, throttled events are counted.
  // From then on everything passes and nothing is drawn, because a transaction in flight has paid
  // before its commit.
  void settle();
  // Returns the drawn units if the call fails or starts again; no-op after settle(). begin_write()
  // is for writes, whose tables may be destroyed before settle().
  void undo();
  void begin_write() {
    undo();
    keeps_tables_ = true;
  }
  // Events to report since reset(); valid until the next one.
  std::span<const RefusedEvent> refused() const {
    return std::span(refused_).first(refused_count_);
  }
  std::span<const EarlyChange> limited() const { return limited_; }

  void reset();

 private:
  capacity::Event claim(const ChargedEvent& event, capacity::Dimension dimension);
  // Moves the last claims, which are the event's, from drawn to throttled.
  void refuse(const ChargedEvent& event, capacity::Event claims,
              std::span<const capacity::Refusal> by, Timestamp now);
  void unclaim(capacity::Event claims);
  // Refunds the last `asked_only` charges of each event, given that all events were drawn. `ends`:
  // where each event's claims end.
  void give_back_unpaid(std::span<const ChargedEvent> events, std::size_t first_drawn,
                        std::span<const std::size_t> ends);
  // For claims that passed in a request that fails because other events were throttled: counts them
  // as demand only.
  void set_aside(std::size_t first_drawn);
  void forget();

  std::vector<capacity::Claim> drawn_;
  std::vector<std::shared_ptr<capacity::ThroughputState>> kept_;  // of drawn_, for writes
  std::vector<capacity::Claim> set_aside_;
  std::vector<std::shared_ptr<capacity::ThroughputState>> kept_aside_;  // of set_aside_
  // Elements from refused_count_ on are left from earlier calls and reused, so that throttling
  // allocates nothing once there are enough.
  std::vector<RefusedEvent> refused_;
  std::size_t refused_count_ = 0;
  std::vector<EarlyChange> limited_;
  std::vector<capacity::Refusal> asked_by_;  // result of ask() in admit()
  std::vector<capacity::Refusal> begun_by_;  // result of ask() in begin(), if it served the event
  bool keeps_tables_ = false;
  bool is_settled_ = false;
};

}  // namespace stator

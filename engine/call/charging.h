// Charging: what a call takes of the throughput of its tables.
//
// Events (an item's operation, or a page) are asked for when their charges are known. Those that
// pass are drawn at once, so that the next one finds less; whether they count is known when the
// call's outcome is, since a write that is not committed consumes nothing. Those that do not pass
// are refused, or, where the table only observes, served and told of.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/capacity/admission.h"
#include "engine/capacity/throttling_reason.h"
#include "engine/schema/capacity.h"
#include "engine/schema/runtime.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"
#include "protocol/error.h"

namespace stator {

// The charges of one event, the table's before its indexes'.
struct ChargedEvent {
  const Table& table;
  std::span<const Charge> charges;
  // So many of the last ones must pass and cost nothing: of a write that comes to nothing.
  std::size_t asked_only = 0;
};

// An event that was refused, or should have been. The states of the table and of those who refused
// have their ThrottleTally.
struct RefusedEvent {
  std::shared_ptr<Runtime> table;
  capacity::Dimension dimension = capacity::Dimension::Read;
  std::vector<capacity::Claim> claims;
  std::vector<std::shared_ptr<capacity::ThroughputState>> states;  // of the claims
  std::vector<capacity::Refusal> by;                               // not empty
  Timestamp at;
};

// A change of throughput that came too soon, refused or served all the same.
struct LimitedEvent {
  std::string table_name;
  std::shared_ptr<Runtime> table;
  std::string index_name;       // empty: of the table itself
  std::shared_ptr<Runtime> of;  // the index's, or the table's
  LimitedChange change = LimitedChange::Decrease;
  Timestamp at;
  std::string scope = {};  // the table's
  std::string region = {};
};

// What charges point to must be valid until the call is settled or undone. Tables may go before:
// those that are written by the same batch, whose throughput is kept here so long. A read is
// settled while its tables are there.
class Charging {
 public:
  // An event of one item. Error: the exception of throttling, and nothing was drawn. What is drawn
  // of an event is all but `asked_only`.
  std::optional<Error> admit(const ChargedEvent& event, capacity::Dimension dimension,
                             Timestamp now);
  // Events that pass all or not at all: for each the error; empty: all pass.
  std::vector<std::optional<Error>> admit_all(std::span<const ChargedEvent> events,
                                              capacity::Dimension dimension, Timestamp now);

  // An event whose cost is known afterwards: whether it may begin, by charges of what it costs at
  // least, and then what it cost.
  std::optional<Error> begin(const ChargedEvent& event, capacity::Dimension dimension,
                             Timestamp now);
  void end(const ChargedEvent& event, capacity::Dimension dimension, Timestamp now);

  // What costs whether it passes or not.
  void charge(const ChargedEvent& event, capacity::Dimension dimension, Timestamp now);

  // A change that comes too soon: it is counted when the call is settled.
  void limit(LimitedEvent event) { limited_.push_back(std::move(event)); }

  // The call's outcome stands: what was drawn is consumed, what was refused is counted. From here
  // on everything passes and nothing is drawn: a transaction in flight has paid when it lands.
  void settle();
  // It comes to nothing, or begins anew; no-op when it is settled. A write's tables may go before
  // it is settled.
  void undo();
  void begin_write() {
    undo();
    keeps_tables_ = true;
  }
  // What is to be told of since reset(); valid until then.
  std::span<const RefusedEvent> refused() const {
    return std::span(refused_).first(refused_count_);
  }
  std::span<const LimitedEvent> limited() const { return limited_; }

  void reset();

 private:
  capacity::Event claim(const ChargedEvent& event, capacity::Dimension dimension);
  // Moves the last claims, those of the event, from what is drawn to what is refused.
  void refuse(const ChargedEvent& event, capacity::Event claims,
              std::span<const capacity::Refusal> by, Timestamp now);
  void unclaim(capacity::Event claims);
  // Gives back what is only asked for of events that were drawn whole, one behind another: where
  // the claims of each end.
  void give_back_unpaid(std::span<const ChargedEvent> events, std::size_t first_drawn,
                        std::span<const std::size_t> ends);
  // What passed and comes to nothing because others did not: it was asked for.
  void set_aside(std::size_t first_drawn);
  void forget();

  std::vector<capacity::Claim> drawn_;
  std::vector<std::shared_ptr<capacity::ThroughputState>> kept_;  // of those, of a write
  std::vector<capacity::Claim> set_aside_;
  std::vector<std::shared_ptr<capacity::ThroughputState>> kept_aside_;  // of those, of a write
  // Those behind the count are what earlier calls left: refusing, too, allocates nothing once there
  // are enough.
  std::vector<RefusedEvent> refused_;
  std::size_t refused_count_ = 0;
  std::vector<LimitedEvent> limited_;
  std::vector<capacity::Refusal> asked_by_;  // of admit()
  std::vector<capacity::Refusal> begun_by_;  // of begin(), which served it all the same
  bool keeps_tables_ = false;
  bool is_settled_ = false;
};

}  // namespace stator

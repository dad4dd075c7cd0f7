// Cancelled transactions: what became of each action, told by position.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/call/call.h"
#include "engine/items/stored_item.h"
#include "engine/state/primary_key.h"
#include "engine/state/snapshot.h"
#include "protocol/error.h"

namespace stator {

// What the lists of reasons call an error.
std::string_view reason_code(const Error& reason);

// Why each action of a transaction would have been refused, in the order of the request; empty:
// there is nothing against it.
class CancellationReasons {
 public:
  // `call` pays for what the reasons hold.
  CancellationReasons(std::size_t actions, Call& call) : actions_(actions), call_(call) {}

  bool any() const { return !reasons_.empty(); }
  // The reason shows `item`, if it is one and there is room for it.
  void add(std::size_t action, Error reason, StoredItem item = {});

  // TransactionCanceledException. Items are shown in the order of the request, for as long as
  // together they have no more than 4 MB (conformance/observed/transactions.md 3). REQUIRES: any(),
  // and the items are still stored as they were.
  Error to_error() &&;

 private:
  struct Reason {
    std::optional<Error> error;  // empty: there is nothing against the action
    StoredItem item;
  };

  void append_reason(std::string& out, const Reason& reason, bool shows_item);

  const std::size_t actions_;
  std::vector<Reason> reasons_;  // empty while there is none
  Call& call_;
};

// The transaction is cancelled for one of its `actions` alone.
Error cancelled_for(std::size_t action, Error reason, std::size_t actions, Call& call);

// The transaction is cancelled because others in flight hold some of its items; empty: none does.
std::optional<Error> find_conflicts(std::span<const LocatedKey> keys, const Snapshot& snapshot,
                                    Call& call);

// Takes what the actions cost, all or nothing. Whether it is there; otherwise the reasons are
// added, in the place of those that an action had.
bool admit_actions(std::span<const ChargedEvent> actions, capacity::Dimension dimension,
                   Timestamp now, Call& call, CancellationReasons& reasons);
// The same of a transaction that nothing else is against; empty: it is there.
std::optional<Error> cancelled_by_throttling(std::span<const ChargedEvent> actions,
                                             capacity::Dimension dimension, Timestamp now,
                                             Call& call);

// `Transaction request cannot include multiple operations on one item`.
Error multiple_operations();

}  // namespace stator

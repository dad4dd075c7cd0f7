// Cancelled transactions: the reason for each action, by position.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/call/call.h"
#include "engine/catalog/primary_key.h"
#include "engine/items/stored_item.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/error.h"

namespace stator {

// The code of an error in the lists of reasons.
std::string_view reason_code(const Error& reason);

// Why each action of a transaction would be rejected, in the order of the request; empty if no
// action would.
class CancellationReasons {
 public:
  // `call` is charged for the memory of the reasons.
  CancellationReasons(std::size_t actions, Call& call) : actions_(actions), call_(call) {}

  bool any() const { return !reasons_.empty(); }
  // Adds a reason, which shows `item` if it exists and the size limit allows.
  void add(std::size_t action, Error reason, StoredItem item = {});

  // TransactionCanceledException. Shows items in the order of the request, up to 4 MB together
  // (conformance/observed/transactions.md 3). REQUIRES: any(), and the stored items are unchanged.
  Error to_error() &&;

 private:
  struct Reason {
    std::optional<Error> error;  // empty if the action has no error
    StoredItem item;
  };

  void append_reason(std::string& out, const Reason& reason, bool shows_item);

  const std::size_t actions_;
  std::vector<Reason> reasons_;  // empty until the first reason
  Call& call_;
};

// Cancels the transaction for one of its `actions` alone.
Error cancelled_for(std::size_t action, Error reason, std::size_t actions, Call& call);

// Cancels the transaction if others in flight hold some of its items; empty if none does.
std::optional<Error> find_conflicts(std::span<const LocatedKey> keys, const Snapshot& snapshot,
                                    Call& call);

// Draws the cost of the actions, all or nothing. If throttled, returns false and adds the reasons,
// which replace earlier ones of the same action.
bool admit_actions(std::span<const ChargedEvent> actions, capacity::Dimension dimension,
                   Timestamp now, Call& call, CancellationReasons& reasons);
// Draws the cost of a transaction without other reasons; the error if throttled, else empty.
std::optional<Error> cancelled_by_throttling(std::span<const ChargedEvent> actions,
                                             capacity::Dimension dimension, Timestamp now,
                                             Call& call);

// `Transaction request cannot include multiple operations on one item`.
Error multiple_operations();

}  // namespace stator

// Cancelled transactions: what became of each action, told by position.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/call/call.h"
#include "engine/state/primary_key.h"
#include "engine/state/snapshot.h"
#include "protocol/error.h"

namespace stator {

// Why each action of a transaction would have been refused, in the order of the request; empty:
// there is nothing against it.
class CancellationReasons {
 public:
  // `call` pays for what the reasons hold.
  CancellationReasons(std::size_t actions, Call& call) : reasons_(actions), call_(call) {}

  bool any() const { return first_.has_value(); }
  void add(std::size_t action, Error reason);
  // Keys and values are told of alone: one action, the first of them.
  void replace_all(std::size_t action, Error reason);

  // TransactionCanceledException. REQUIRES: any().
  Error to_error() &&;

 private:
  std::vector<std::optional<Error>> reasons_;
  std::optional<std::size_t> first_;
  Call& call_;
};

// The transaction is cancelled because others in flight hold some of its items; empty: none does.
std::optional<Error> find_conflicts(std::span<const LocatedKey> keys, const Snapshot& snapshot,
                                    Call& call);

// `Transaction request cannot include multiple operations on one item`.
Error multiple_operations();

}  // namespace stator

// PieceSnapshot: what a piece of a chore sees, for decisions about items.
#pragma once

#include "engine/maintenance/chores/chore.h"
#include "engine/state/in_flight_transactions.h"
#include "engine/state/snapshot.h"

namespace stator {

class PieceSnapshot {
 public:
  // The piece must outlive this.
  explicit PieceSnapshot(const ChorePiece& piece)
      : snapshot_(piece.transaction, piece.catalog(), piece.now, nobody_, no_flights_) {}
  PieceSnapshot(const PieceSnapshot&) = delete;
  PieceSnapshot& operator=(const PieceSnapshot&) = delete;

  const Snapshot& get() const { return snapshot_; }

 private:
  class NobodyMissesTables final : public MissingTableListener {
   public:
    void table_missing(const Catalog& /*catalog*/, std::string_view /*scope*/,
                       std::string_view /*name*/) override {}
  };

  NobodyMissesTables nobody_;
  // Transactions in flight do not protect an item: they decide again when they commit.
  const InFlightTransactions no_flights_;
  const Snapshot snapshot_;
};

}  // namespace stator

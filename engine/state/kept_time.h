// KeptTime: how far the engine's time has come, kept beside the data so that the next process does
// not go back behind it, whatever its clock says.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "engine/seams/clock.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

// The leader's.
class KeptTime {
 public:
  // It is stored no more often than this, for a page that is written with each commit would cost a
  // tenth of a small one. What is stored says how much later the times of commits may be.
  static constexpr std::chrono::milliseconds kStep{100};

  // No commit has told a later time; empty: nothing was kept yet.
  static Result<std::optional<Timestamp>> load(const storage::Transaction& transaction);

  // Before each commit. `stands`: time goes on by being moved alone. REQUIRES: the batch has told
  // no time after `now`.
  Result<void> before_commit(Timestamp now, bool stands, storage::WriteTransaction& transaction);
  void batch_ended(bool committed);

  // Time goes back with the batch: what was stored counts no more.
  void forget() { stored_.reset(); }

  // Whether something was stored that a last commit can make exact.
  bool is_open() const { return stored_.has_value(); }
  // The batch is the last one of the process.
  void end() { is_ending_ = true; }

 private:
  struct Kept {
    Timestamp time;
    std::chrono::microseconds slack;

    bool operator==(const Kept&) const = default;
  };

  bool is_ending_ = false;
  std::optional<Kept> stored_;   // by this process
  std::optional<Kept> pending_;  // by the batch
};

}  // namespace stator

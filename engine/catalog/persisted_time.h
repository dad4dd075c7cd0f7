// PersistedTime: persists the engine's time, so that the next process continues after it, whatever
// its clock says.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "engine/seams/clock.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator {

// Used by the leader only.
class PersistedTime {
 public:
  // Minimum interval between stored times: a page written with each commit would add a tenth to the
  // cost of a small one. The stored record includes by how much later the times of commits may be.
  static constexpr std::chrono::milliseconds kStep{100};

  // A time not before that of any commit; empty if none was stored yet.
  static Result<std::optional<Timestamp>> load(const storage::Transaction& transaction);

  // Call before each commit. `stands`: the clock moves only if set. REQUIRES: the batch has used no
  // time after `now`.
  Result<void> before_commit(Timestamp now, bool stands, storage::WriteTransaction& transaction);
  void batch_ended(bool committed);

  // Call if time moves back with the batch: the stored time no longer counts.
  void forget() { stored_.reset(); }

  // Whether a final commit would make the stored time exact.
  bool is_open() const { return stored_.has_value(); }
  // Marks the batch as the process's last.
  void end() { is_ending_ = true; }

 private:
  struct RetainedSnapshot {
    Timestamp time;
    std::chrono::microseconds slack;

    bool operator==(const RetainedSnapshot&) const = default;
  };

  bool is_ending_ = false;
  std::optional<RetainedSnapshot> stored_;   // committed by this process
  std::optional<RetainedSnapshot> pending_;  // written by the batch
};

}  // namespace stator

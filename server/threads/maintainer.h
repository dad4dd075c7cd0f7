// Maintainer: a thread that runs the engine's chores (removing deleted data, filling new indexes,
// late changes of indexes) in bounded pieces, and sleeps until one is due.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/seams/clock.h"

namespace stator {

class Engine;
struct MaintenanceState;

class Maintainer final : ClockWatcher {
 public:
  // Starts the thread, which first looks for chores of an earlier process. `engine` must outlive
  // this. REQUIRES: no call is in flight, here and at destruction.
  explicit Maintainer(Engine& engine);
  // Stops the thread, after at most one bounded piece.
  ~Maintainer() override;
  // Pauses the thread while it exists: a clock move runs the chores itself. The constructor waits
  // for a piece in progress.
  class Pause {
   public:
    explicit Pause(Maintainer& maintainer) : maintainer_(maintainer) { maintainer_.begin_pause(); }
    ~Pause() { maintainer_.end_pause(); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Maintainer& maintainer_;
  };

  Maintainer(const Maintainer&) = delete;
  Maintainer& operator=(const Maintainer&) = delete;

 private:
  void run();
  MaintenanceState commit_piece();
  // Around a piece; begin_piece() returns false if the thread must stop.
  bool begin_piece();
  void end_piece();
  void begin_pause();
  void end_pause();
  // Wakes the thread at `due`. Any thread may call this.
  void note_due(Timestamp due);
  void clock_moved() noexcept override;
  // Waits until a chore is due. Returns false if the thread must stop.
  bool wait();

  Engine& engine_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable piece_ended_;
  bool is_stopping_ = false;      // guarded by mutex_
  bool is_at_work_ = false;       // guarded by mutex_
  int pauses_ = 0;                // guarded by mutex_
  std::optional<Timestamp> due_;  // guarded by mutex_
  std::thread thread_;            // last: it uses the above
};

}  // namespace stator

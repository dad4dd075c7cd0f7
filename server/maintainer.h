// Maintainer: a thread that does the engine's maintenance (removing deleted data, filling new
// indexes, late changes of indexes), bit by bit, and sleeps until there is some.
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
  // Starts the thread and looks once for what an earlier process left. Both must outlive this.
  // REQUIRES: no call is in flight, here and at the end.
  explicit Maintainer(Engine& engine);
  // Stops it; at most one bounded piece of work is waited for.
  ~Maintainer() override;
  // While there is one, the thread does nothing: whoever moves time does the work meanwhile. A
  // piece that has begun is waited for.
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
  MaintenanceState do_piece();
  // Around a piece; false: it is stopping.
  bool begin_piece();
  void end_piece();
  void begin_pause();
  void end_pause();
  // Something is due then. From any thread.
  void note_due(Timestamp due);
  void clock_moved() noexcept override;
  // Waits until something is due or it is stopping; returns whether to go on.
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

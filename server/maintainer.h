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

class Maintainer final : ClockWatcher {
 public:
  // Starts the thread and looks once for what an earlier process left. Both must outlive this.
  // REQUIRES: no call is in flight, here and at the end.
  explicit Maintainer(Engine& engine);
  // Stops it; at most one bounded piece of work is waited for.
  ~Maintainer() override;
  Maintainer(const Maintainer&) = delete;
  Maintainer& operator=(const Maintainer&) = delete;

 private:
  void run();
  bool is_stopping();
  // Something is due then. From any thread.
  void note_due(Timestamp due);
  void clock_moved() noexcept override;
  // Waits until something is due or it is stopping; returns whether to go on.
  bool wait();

  Engine& engine_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;      // guarded by mutex_
  std::optional<Timestamp> due_;  // guarded by mutex_
  std::thread thread_;            // last: it uses the above
};

}  // namespace stator

// See maintainer.h.

#include "server/maintainer.h"

#include <chrono>
#include <exception>
#include <string>

#include "engine/engine.h"
#include "server/log.h"

namespace stator {

Maintainer::Maintainer(Engine& engine) : engine_(engine), clock_(engine.clock()) {
  engine_.on_maintenance_due([this](Timestamp due) { note_due(due); });
  clock_.watch(*this);
  thread_ = std::thread([this] { run(); });
}

Maintainer::~Maintainer() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
  clock_.unwatch(*this);
  engine_.on_maintenance_due(nullptr);
}

void Maintainer::note_due(Timestamp due) {
  {
    const std::scoped_lock lock(mutex_);
    if (due_ && *due_ <= due) return;
    due_ = due;
  }
  changed_.notify_one();
}

// The lock makes sure that a thread about to wait has not yet looked at the clock, or waits.
void Maintainer::clock_moved() noexcept {
  { const std::scoped_lock lock(mutex_); }
  changed_.notify_one();
}

bool Maintainer::is_stopping() {
  const std::scoped_lock lock(mutex_);
  return is_stopping_;
}

void Maintainer::run() {
  for (;;) {
    try {
      MaintenanceState left;
      do {
        left = engine_.maintain();
      } while (left.is_due && !is_stopping());
      if (left.next_due) note_due(*left.next_due);
    } catch (const std::exception& error) {
      log::error(std::string{"maintenance failed: "} + error.what());
    }
    if (!wait()) return;
  }
}

bool Maintainer::wait() {
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    if (due_ && *due_ <= clock_.now()) {
      // From here on it is looked at again, with all that is due by now.
      due_.reset();
      return true;
    }
    if (const auto real = due_ ? clock_.real_wait(*due_) : std::nullopt) {
      changed_.wait_for(lock, *real);
    } else {
      changed_.wait(lock);
    }
  }
  return false;
}

}  // namespace stator

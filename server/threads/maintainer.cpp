// See maintainer.h.

#include "server/threads/maintainer.h"

#include <chrono>
#include <exception>
#include <string>

#include "engine/api/engine.h"
#include "server/log/log.h"

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

// The empty critical section prevents a lost wake-up: a thread about to wait either has not read
// the clock yet or waits already.
void Maintainer::clock_moved() noexcept {
  { const std::scoped_lock lock(mutex_); }
  changed_.notify_one();
}

void Maintainer::begin_pause() {
  std::unique_lock lock(mutex_);
  ++pauses_;
  piece_ended_.wait(lock, [this] { return !is_at_work_; });
}

void Maintainer::end_pause() {
  {
    const std::scoped_lock lock(mutex_);
    --pauses_;
    due_ = Timestamp::min();  // chores due during the pause were not reported here
  }
  changed_.notify_one();
}

bool Maintainer::begin_piece() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return pauses_ == 0 || is_stopping_; });
  is_at_work_ = !is_stopping_;
  return is_at_work_;
}

void Maintainer::end_piece() {
  {
    const std::scoped_lock lock(mutex_);
    is_at_work_ = false;
  }
  piece_ended_.notify_all();
}

MaintenanceState Maintainer::commit_piece() {
  if (!begin_piece()) return {};
  try {
    const MaintenanceState left = engine_.maintain_together();
    end_piece();
    return left;
  } catch (...) {
    end_piece();
    throw;
  }
}

void Maintainer::run() {
  for (;;) {
    try {
      MaintenanceState left;
      do {
        left = commit_piece();
      } while (left.is_due);
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
      // run() now looks for everything that is due.
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

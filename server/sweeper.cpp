// See sweeper.h.

#include "server/sweeper.h"

#include <algorithm>
#include <exception>
#include <string>

#include "engine/engine.h"
#include "server/log.h"

namespace stator {

namespace {

// A table that stays DELETING for a while is noticed a little after its time.
constexpr std::chrono::milliseconds kGrace{100};

}  // namespace

Sweeper::Sweeper(Engine& engine, std::chrono::microseconds delay)
    : engine_(engine), delay_(delay), thread_([this] { run(); }) {}

Sweeper::~Sweeper() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Sweeper::wake() {
  {
    const std::scoped_lock lock(mutex_);
    last_due_at_ = std::chrono::steady_clock::now() + delay_ +
                   (delay_.count() == 0 ? Time::duration{} : kGrace);
    sweep_again_at_ = std::min(sweep_again_at_, last_due_at_);
  }
  changed_.notify_one();
}

bool Sweeper::is_stopping() {
  const std::scoped_lock lock(mutex_);
  return is_stopping_;
}

void Sweeper::run() {
  for (;;) {
    try {
      while (!is_stopping() && engine_.sweep()) {
      }
    } catch (const std::exception& error) {
      log::error(std::string{"removing deleted data failed: "} + error.what());
    }
    std::unique_lock lock(mutex_);
    while (!is_stopping_ && sweep_again_at_ > std::chrono::steady_clock::now()) {
      if (sweep_again_at_ == Time::max()) {
        changed_.wait(lock);
      } else {
        changed_.wait_until(lock, sweep_again_at_);
      }
    }
    if (is_stopping_) return;
    // Tables deleted while this was waited for are due later; never later than that, however many
    // follow.
    sweep_again_at_ = last_due_at_ > std::chrono::steady_clock::now() ? last_due_at_ : Time::max();
  }
}

}  // namespace stator

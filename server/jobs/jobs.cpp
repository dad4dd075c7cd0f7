#include "server/jobs/jobs.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "engine/api/engine.h"
#include "server/log/log.h"

namespace stator {

Jobs::Jobs(Engine& engine, data::ObjectStore& store, JobKinds kinds)
    : engine_(engine), clock_(engine.clock()), store_(store), kinds_(std::move(kinds)) {
  engine_.on_job_ready([this] { note_ready(); });
  clock_.watch(*this);
  Engine::Reader reader(engine_);
  const bool has_ready = std::any_of(kinds_.begin(), kinds_.end(),
                                     [&](const auto& kind) { return kind->has_ready(reader); });
  if (has_ready) note_ready();
}

Jobs::~Jobs() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  store_.interrupt();
  if (thread_.joinable()) thread_.join();
  clock_.unwatch(*this);
  engine_.on_job_ready(nullptr);
}

void Jobs::note_ready() {
  {
    const std::scoped_lock lock(mutex_);
    is_ready_ = true;
    if (!thread_.joinable()) start_thread();
  }
  changed_.notify_one();
}

// A commit calls this, which no lack of threads may end: the next job tries again.
void Jobs::start_thread() noexcept {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::exception& error) {
    log::error(std::string{"no thread for exports and other jobs: "} + error.what());
  }
}

bool Jobs::is_stopping() {
  const std::scoped_lock lock(mutex_);
  return is_stopping_;
}

bool Jobs::wait() {
  const std::optional<Timestamp> due = next_due();
  std::unique_lock lock(mutex_);
  while (!is_ready_ && !is_stopping_ && !(due && *due <= clock_.now())) {
    if (const auto real = due ? clock_.real_wait(*due) : std::nullopt) {
      changed_.wait_for(lock, *real);
    } else {
      changed_.wait(lock);
    }
  }
  is_ready_ = false;
  return !is_stopping_;
}

std::optional<Timestamp> Jobs::next_due() {
  std::optional<Timestamp> first;
  for (const auto& kind : kinds_) {
    const std::optional<Timestamp> due = kind->next_due();
    if (due && (!first || *due < *first)) first = due;
  }
  return first;
}

// The empty critical section prevents a lost wake-up: a thread about to wait either has not read
// the clock yet or waits already.
void Jobs::clock_moved() noexcept {
  { const std::scoped_lock lock(mutex_); }
  changed_.notify_one();
}

void Jobs::run() {
  while (wait()) {
    while (run_round()) {
    }
  }
}

bool Jobs::run_round() {
  bool had_one = false;
  for (const auto& kind : kinds_) had_one = run_next(*kind) || had_one;
  return had_one;
}

bool Jobs::run_next(JobKind& kind) {
  if (is_stopping()) return false;
  try {
    Engine::Reader reader(engine_);
    return kind.run_next(reader, [this] { return is_stopping(); });
  } catch (const std::exception& error) {
    log::error(std::string(kind.name()) + " failed: " + error.what());
    return false;
  }
}

}  // namespace stator

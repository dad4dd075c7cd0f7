// See use_sampler.h.

#include "server/threads/use_sampler.h"

#include <chrono>
#include <exception>
#include <string>

#include "engine/api/engine.h"
#include "engine/reports/throughput_figures.h"
#include "server/log/log.h"

namespace stator {

UseSampler::UseSampler(Engine& engine, bool is_on) : engine_(engine), clock_(engine.clock()) {
  if (!is_on) return;
  clock_.watch(*this);
  thread_ = std::thread([this] { run(); });
}

UseSampler::~UseSampler() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(wait_mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
  clock_.unwatch(*this);
}

void UseSampler::sample_now() {
  const std::scoped_lock lock(mutex_);
  if (thread_.joinable()) sample();
}

std::vector<UseStep> UseSampler::steps(const UseSeries::State& state, std::size_t length) {
  const std::scoped_lock lock(mutex_);
  sample();
  return series_.steps(state, length, clock_.now());
}

void UseSampler::clock_moved() noexcept {
  was_moved_ = true;
  {
    const std::scoped_lock lock(wait_mutex_);
    ++moves_;
  }
  changed_.notify_one();
}

// Without a sample the steps have a hole, which is no reason to end the process.
void UseSampler::sample() {
  try {
    std::vector<UseSeries::State> states;
    Engine::Reader reader(engine_);
    const auto looked = engine_.look(reader, [&states](const Snapshot& snapshot) -> Result<void> {
      states = throughput_states(snapshot);
      return {};
    });
    const bool was_moved = was_moved_.exchange(false);
    if (looked) series_.sample(states, clock_.now(), was_moved);
  } catch (const std::exception& error) {
    log::error(std::string{"sampling of capacity failed: "} + error.what());
  }
}

void UseSampler::run() {
  std::uint64_t moves_seen = 0;
  do {
    const std::scoped_lock lock(mutex_);
    sample();
  } while (wait(moves_seen));
}

bool UseSampler::wait(std::uint64_t& moves_seen) {
  std::unique_lock lock(wait_mutex_);
  const auto is_over = [&] { return is_stopping_ || moves_ != moves_seen; };
  const Timestamp now = clock_.now();
  const Timestamp next{(now.unix_s() + 1) * 1'000'000};
  if (const auto real = clock_.real_wait(next)) {
    changed_.wait_for(lock, *real, is_over);
  } else {
    changed_.wait(lock, is_over);
  }
  moves_seen = moves_;
  return !is_stopping_;
}

}  // namespace stator

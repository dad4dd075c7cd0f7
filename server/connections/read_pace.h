// ReadPace: decides from the length of a connection's last request how many steps its next read may
// take on the worker's thread.
#pragma once

#include <cstdint>

#include "engine/call/work.h"
#include "server/threads/worker.h"

namespace stator {

class ReadPace {
 public:
  // `worker` must outlive this.
  explicit ReadPace(Worker& worker) : worker_(worker) {}
  ~ReadPace() {
    if (is_quick_) worker_.count_quick_session(-1);
  }
  ReadPace(const ReadPace&) = delete;
  ReadPace& operator=(const ReadPace&) = delete;

  // Steps of Work after which a read goes to the lane. 0: at once, because the last request was
  // long.
  std::uint64_t steps_max() const {
    const bool is_alone = worker_.quick_sessions() == int{is_quick_};
    const std::uint64_t steps_max = is_alone ? kStepsAlone : kStepsBeside;
    return last_steps_ < steps_max ? steps_max : 0;
  }
  void took(std::uint64_t steps) {
    last_steps_ = steps;
    const bool is_quick = steps < kStepsBeside;
    if (is_quick != is_quick_) worker_.count_quick_session(is_quick ? 1 : -1);
    is_quick_ = is_quick;
  }

 private:
  // From how many steps on (about a nanosecond each) a read is worth moving to the lane, which
  // costs some tens of microseconds: with quick sessions on the same worker, and without.
  static constexpr std::uint64_t kStepsBeside = 4 * Work::kStepsBetweenQuestions;
  static constexpr std::uint64_t kStepsAlone = 16 * Work::kStepsBetweenQuestions;

  Worker& worker_;
  std::uint64_t last_steps_ = 0;
  bool is_quick_ = false;  // the worker counts it as quick
};

}  // namespace stator

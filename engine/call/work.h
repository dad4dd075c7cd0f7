// Work: counts the steps of a call and stops it if its result is no longer needed.
//
// Verbs count work before they do it: one step is one byte of a record read for one operand, about
// a nanosecond. The caller may set a StopCondition, which is checked at intervals. If it says stop,
// the call ends with Work::stopped() and commits nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/errors/error.h"
#include "protocol/errors/result.h"

namespace stator {

// Decides when to stop a call whose result is not needed.
class StopCondition {
 public:
  virtual ~StopCondition() = default;
  // Whether the response is not needed any more: true once the client has hung up, the deadline has
  // passed or the process ends. Called about every 100 µs on the working thread, for a write the
  // commit queue's leader; should take less than 1 µs.
  virtual bool should_stop() noexcept = 0;
};

class Work {
 public:
  // Steps between two questions to the stop condition.
  static constexpr std::uint64_t kStepsBetweenQuestions = 128 * 1024;

  // Starts a call. `stop_condition` must outlive it; nullptr never stops it.
  void begin(StopCondition* stop_condition) {
    stop_condition_ = stop_condition;
    steps_ = 0;
    ask_at_ = kStepsBetweenQuestions;
  }

  StopCondition* stop_condition() const { return stop_condition_; }
  // Replaces the stop condition; the step count stays.
  void set_stop_condition(StopCondition* stop_condition) { stop_condition_ = stop_condition; }

  // Adds `steps`. Error: stopped(), if the stop condition no longer waits.
  Result<void> go_on(std::size_t steps) {
    steps_ += steps;
    if (steps_ < ask_at_) [[likely]]
      return {};
    ask_at_ = steps_ + kStepsBetweenQuestions;
    return check_wanted();
  }

  // Asks at once: for long work, or work that should not start in vain.
  Result<void> check_wanted() const {
    if (stop_condition_ == nullptr || !stop_condition_->should_stop()) return {};
    return stopped();
  }

  // All steps since begin(): equal for equal requests and data.
  std::uint64_t steps() const { return steps_; }

  // Error of an abandoned call; usually the client is gone.
  static Error stopped() { return Error::internal_failure(); }

 private:
  StopCondition* stop_condition_ = nullptr;
  std::uint64_t steps_ = 0;
  std::uint64_t ask_at_ = kStepsBetweenQuestions;
};

}  // namespace stator

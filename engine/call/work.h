// Work: the steps a call has taken, and whether anybody still waits for what comes of them.
//
// Verbs count what they are about to do before they do it: one step is a byte of a record looked at
// for one operand, about a nanosecond. Whoever runs calls may set an Audience, which is asked now
// and then; when it is gone, the call ends with Work::stopped() and nothing is committed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/error.h"
#include "protocol/result.h"

namespace stator {

// Whoever waits for the answer of a call.
class Audience {
 public:
  virtual ~Audience() = default;
  // Whether the answer is still wanted: false once the client has hung up, the deadline has passed
  // or the process ends. Called on the thread that works, which is the commit queue's leader's for
  // a write, about every 100 µs; should take less than 1 µs.
  virtual bool is_waiting() noexcept = 0;
};

class Work {
 public:
  // How much is done between two questions to the audience.
  static constexpr std::uint64_t kStepsBetweenQuestions = 128 * 1024;

  // Starts anew. `audience`: nullptr waits for ever; otherwise it outlives the call.
  void begin(Audience* audience) {
    audience_ = audience;
    steps_ = 0;
    ask_at_ = kStepsBetweenQuestions;
  }

  Audience* audience() const { return audience_; }
  // From here on `audience` is asked instead; what was counted stays.
  void listen_to(Audience* audience) { audience_ = audience; }

  // Counts `steps` more. Error: stopped(), when nobody waits any more.
  Result<void> go_on(std::size_t steps) {
    steps_ += steps;
    if (steps_ < ask_at_) [[likely]]
      return {};
    ask_at_ = steps_ + kStepsBetweenQuestions;
    return check_wanted();
  }

  // Asks at once, for what is long or must not begin in vain.
  Result<void> check_wanted() const {
    if (audience_ == nullptr || audience_->is_waiting()) return {};
    return stopped();
  }

  // All steps since begin(): the same for the same request and data.
  std::uint64_t steps() const { return steps_; }

  // What a call that was given up ends with; hardly anybody is there to read it.
  static Error stopped() { return Error::internal_failure(); }

 private:
  Audience* audience_ = nullptr;
  std::uint64_t steps_ = 0;
  std::uint64_t ask_at_ = kStepsBetweenQuestions;
};

}  // namespace stator

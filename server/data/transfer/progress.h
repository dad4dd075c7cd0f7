// Progress: shows the progress of a long command on stderr. On a terminal this is one line with a
// bar, the rate and the time left; elsewhere a plain line every few seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/seams/clock.h"

namespace stator::data {

class Progress {
 public:
  // `title` names the work, for example the table "Music".
  explicit Progress(std::string_view title);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Sets how many items earlier runs have done. Call before show().
  void begin_at(std::uint64_t items) { items_before_ = items; }

  // `items` includes those of earlier runs; `done` of `total` may be in another unit (but items if
  // an earlier run did some). A `total` of 0 means unknown. Draws only now and then. Any thread may
  // call this.
  void show(std::uint64_t items, std::uint64_t done, std::uint64_t total);
  // Prints a line for people, escaped, above the bar.
  void say(std::string_view line);
  // Removes the bar before other output.
  void clear();

  // The time and rate of this command alone: "in 1.5 s, 66,667/s".
  std::string pace(std::uint64_t items) const;

 private:
  double elapsed_s() const;
  void clear_bar();

  const std::string title_;
  const bool is_terminal_;
  const SystemClock clock_;
  const std::chrono::microseconds start_;
  std::uint64_t items_before_ = 0;
  std::mutex mutex_;
  std::chrono::microseconds shown_at_;  // guarded by mutex_
  bool has_bar_ = false;                // guarded by mutex_
};

// "12 items", "1 item"
std::string counted(std::uint64_t number, std::string_view noun);

}  // namespace stator::data

// Progress: what a long command shows on stderr meanwhile: on a terminal one line with a bar, the
// rate and the time left, elsewhere a plain line every few seconds.
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
  // `title` names what is done, such as "Music".
  explicit Progress(std::string title);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Of what is counted so much was there before: a command that goes on. Before anything is shown.
  void begin_at(std::uint64_t items) { items_before_ = items; }

  // `items` so far, those before included; `done` of `total` in whatever unit (items, when some
  // were before), a total of 0 being unknown. Shows it when it is time to. Safe from any thread.
  void show(std::uint64_t items, std::uint64_t done, std::uint64_t total);
  // A whole line for people, over the bar.
  void say(std::string_view line);
  // Removes the bar: something else is written now.
  void clear();

  // So many items of this command alone: "in 1.5 s, 66,667/s".
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

// "1,234,567"
std::string grouped(std::uint64_t number);
// "12 items", "1 item"
std::string counted(std::uint64_t number, std::string_view noun);

}  // namespace stator::data

#include "server/data/transfer/progress.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "protocol/text/shown_number.h"
#include "server/log/log_text.h"
#include "server/log/output.h"

namespace stator::data {

namespace {

constexpr std::chrono::microseconds kBarEvery = std::chrono::milliseconds(200);
constexpr std::chrono::microseconds kLineEvery = std::chrono::seconds(5);
constexpr int kBarCells = 20;

// "1:02:03", "0:07"
std::string clock_text(double seconds_left) {
  const auto seconds = static_cast<std::uint64_t>(std::min(seconds_left, 3.6e7));
  const auto two = [](std::uint64_t number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
  };
  const std::string tail = ":" + two(seconds % 60);
  if (seconds < 3600) return std::to_string(seconds / 60) + tail;
  return std::to_string(seconds / 3600) + ":" + two(seconds / 60 % 60) + tail;
}

std::string rate_text(std::uint64_t items, double seconds) {
  return grouped(static_cast<std::uint64_t>(static_cast<double>(items) / seconds)) + "/s";
}

}  // namespace

Progress::Progress(std::string_view title)
    : title_{log::escaped(title)},
      is_terminal_{isatty(STDERR_FILENO) == 1},
      start_{clock_.steady()},
      shown_at_{start_} {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  clear_bar();
}

double Progress::elapsed_s() const {
  return std::chrono::duration<double>(clock_.steady() - start_).count();
}

std::string Progress::pace(std::uint64_t items) const {
  const double seconds = elapsed_s();
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "in %.1f s, ", seconds);
  return text.data() + rate_text(items, seconds);
}

void Progress::show(std::uint64_t items, std::uint64_t done, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  const auto now = clock_.steady();
  if (now - shown_at_ < (is_terminal_ ? kBarEvery : kLineEvery)) return;
  shown_at_ = now;
  const double seconds = elapsed_s();
  std::string line = title_ + ": ";
  const double part =
      total == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  if (total != 0 && is_terminal_) {
    const int full = static_cast<int>(part * kBarCells);
    line += "[" + std::string(static_cast<std::size_t>(full), '#') +
            std::string(static_cast<std::size_t>(kBarCells - full), '.') + "] ";
  }
  if (total != 0) line += std::to_string(static_cast<int>(part * 100)) + "%, ";
  line += counted(items, "item") + ", " + rate_text(items - items_before_, seconds);
  // Uses the pace of this command alone.
  const double done_now = static_cast<double>(done) - static_cast<double>(items_before_);
  const double left = static_cast<double>(total) - static_cast<double>(done);
  if (total != 0 && done_now > 0)
    line += ", " + clock_text(seconds * std::max(0.0, left) / done_now) + " left";
  output::write(output::Stream::Stderr, is_terminal_ ? "\r\x1b[K" + line : line + "\n");
  has_bar_ = is_terminal_;
}

void Progress::say(std::string_view line) {
  const std::lock_guard lock(mutex_);
  clear_bar();
  output::write(output::Stream::Stderr, log::escaped(line) + "\n");
}

void Progress::clear_bar() {
  if (has_bar_) output::write(output::Stream::Stderr, "\r\x1b[K");
  has_bar_ = false;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return grouped(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

}  // namespace stator::data

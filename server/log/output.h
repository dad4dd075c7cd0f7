// stdout and stderr of a serving process: neither serving nor shutdown waits for a reader. Other
// commands write directly and wait.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace stator::output {

enum class Stream : std::uint8_t { Stdout, Stderr };

// Opens /dev/null for each of stdin, stdout and stderr that is closed. Otherwise the next opened
// file would get its number, and messages for stderr would go into the data. Call before any file
// is opened.
void open_missing_streams();

// From now on write() waits only for a lock, and stdio is no longer used. Call once per process.
// `report_lost` returns the line that reports lost lines of stderr; another thread calls it.
void start_queues(std::function<std::string(std::uint64_t count)> report_lost);

// Writes whole lines, or a part of a progress bar. Earlier lines of stderr appear before a line of
// stdout, unless the reader of stderr makes it wait. Any thread may call this.
void write(Stream stream, std::string_view text);

// Waits until everything is written, at most for `patience`. What readers have not read by then is
// lost when the process ends.
void finish(std::chrono::milliseconds patience);

// Calls finish() at the end of a scope, also on an exception.
class Finish {
 public:
  explicit Finish(std::chrono::milliseconds patience) : patience_(patience) {}
  ~Finish() { finish(patience_); }
  Finish(const Finish&) = delete;
  Finish& operator=(const Finish&) = delete;

 private:
  const std::chrono::milliseconds patience_;
};

}  // namespace stator::output

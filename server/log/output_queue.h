// OutputQueue: writes to a file descriptor whose reader may be slow, stopped or gone.
//
// push() only copies a line into a buffer; the queue's own thread waits for the reader. If the
// buffer is full, lines are dropped and counted. A line in their place reports the number as soon
// as the reader reads again. The same applies to lines that cannot be written because the disk is
// full or the pipe closed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace stator {

class OutputQueue {
 public:
  struct Settings {
    int fd = -1;  // must stay open until the process ends
    // Limit of waiting bytes; the thread may be writing as many again.
    std::size_t bytes_max = std::size_t{1} << 20;
    // Returns the line that reports `count` lost lines; the queue's thread calls it. If empty,
    // losses are not reported.
    std::function<std::string(std::uint64_t count)> report_lost = {};
    // The queue's thread calls it before it writes pushed text.
    std::function<void()> before_write = {};
  };

  // Starts the thread. Throws std::system_error if there is none.
  explicit OutputQueue(Settings settings);
  // The thread continues to write pushed text while the process runs.
  ~OutputQueue();
  OutputQueue(const OutputQueue&) = delete;
  OutputQueue& operator=(const OutputQueue&) = delete;

  // `text` is whole lines, or a part that must not be cut. Never waits for the reader. Any thread
  // may call this.
  void push(std::string_view text) noexcept;

  // Waits at most for `patience` until everything pushed before is written or lost. Returns whether
  // it is.
  bool finish(std::chrono::milliseconds patience);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which may block in a write forever
};

}  // namespace stator

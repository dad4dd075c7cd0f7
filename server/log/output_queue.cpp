// See output_queue.h.

#include "server/log/output_queue.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace stator {

namespace {

// A pipe takes up to this many bytes atomically (PIPE_BUF), so lines of other writers appear only
// between whole lines.
constexpr std::size_t kPieceBytesMax = 4096;

std::uint64_t lines_in(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

// As many whole lines as fit into a piece, or the first part of a longer line.
std::string_view next_piece(std::string_view text) {
  if (text.size() <= kPieceBytesMax) return text;
  const std::size_t line_end = text.rfind('\n', kPieceBytesMax - 1);
  return text.substr(0, line_end == std::string_view::npos ? kPieceBytesMax : line_end + 1);
}

// Waits for the reader without a limit. Returns the bytes written before an error.
std::size_t write_all(int fd, std::string_view text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const std::string_view piece = next_piece(text.substr(done));
    const ssize_t count = ::write(fd, piece.data(), piece.size());
    if (count >= 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd room{fd, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      break;
    }
  }
  return done;
}

}  // namespace

struct OutputQueue::State {
  explicit State(Settings wanted) : settings(std::move(wanted)) {}

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return has_work() || is_closed; });
      if (!has_work()) return;
      batch.clear();
      batch.swap(waiting);
      const std::uint64_t lost_after = std::exchange(lost_while_full, 0);
      is_writing = true;
      lock.unlock();
      if (settings.before_write) settings.before_write();
      write_batch(lost_after);
      lock.lock();
      is_writing = false;
      if (!has_work()) idle.notify_all();
    }
  }

  bool has_work() const { return !waiting.empty() || lost_while_full != 0; }

  // Writes the report of earlier losses, the batch, and the report of lines lost after it.
  void write_batch(std::uint64_t lost_after) {
    if (lost_before != 0 && !put(report(lost_before))) {
      lost_before += lines_in(batch) + lost_after;
      return;
    }
    lost_before = 0;
    const std::size_t written = put_bytes(batch);
    if (written < batch.size()) {
      lost_before = lines_in(std::string_view(batch).substr(written)) + lost_after;
    } else if (lost_after != 0 && !put(report(lost_after))) {
      lost_before = lost_after;
    }
  }

  std::string report(std::uint64_t count) const {
    return settings.report_lost ? settings.report_lost(count) : std::string();
  }

  bool put(std::string_view text) { return put_bytes(text) == text.size(); }

  std::size_t put_bytes(std::string_view text) {
    if (text.empty()) return 0;
    if (ends_within_line) {
      if (write_all(settings.fd, "\n") == 0) return 0;
      ends_within_line = false;
    }
    const std::size_t written = write_all(settings.fd, text);
    const bool is_cut = written < text.size();
    if (is_cut && written > 0) ends_within_line = text[written - 1] != '\n';
    return written;
  }

  const Settings settings;

  std::mutex mutex;
  std::condition_variable changed;
  std::condition_variable idle;
  std::string waiting;                // guarded by `mutex`
  std::uint64_t lost_while_full = 0;  // guarded by `mutex`; lines after `waiting`
  bool is_writing = false;            // guarded by `mutex`
  bool is_closed = false;             // guarded by `mutex`

  // Used by the thread alone.
  std::string batch;
  std::uint64_t lost_before = 0;  // not reported yet
  bool ends_within_line = false;  // an error cut a line
};

OutputQueue::OutputQueue(Settings settings) : state_(std::make_shared<State>(std::move(settings))) {
  std::thread([state = state_] { state->run(); }).detach();
}

OutputQueue::~OutputQueue() {
  const std::scoped_lock lock(state_->mutex);
  state_->is_closed = true;
  state_->changed.notify_one();
}

void OutputQueue::push(std::string_view text) noexcept {
  State& state = *state_;
  const std::scoped_lock lock(state.mutex);
  const bool was_idle = !state.has_work();
  // After a lost line, all further ones are lost until the report is in its place.
  bool has_room =
      state.lost_while_full == 0 && state.waiting.size() + text.size() <= state.settings.bytes_max;
  try {
    if (has_room) state.waiting.append(text);
  } catch (const std::bad_alloc&) {
    has_room = false;
  }
  if (!has_room) state.lost_while_full += std::max<std::uint64_t>(lines_in(text), 1);
  if (was_idle) state.changed.notify_one();
}

bool OutputQueue::finish(std::chrono::milliseconds patience) {
  std::unique_lock lock(state_->mutex);
  return state_->idle.wait_for(lock, patience,
                               [this] { return !state_->has_work() && !state_->is_writing; });
}

}  // namespace stator

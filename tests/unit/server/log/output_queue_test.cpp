// server/log/output_queue.cpp: readers that are slow, stopped or gone.

#include "server/log/output_queue.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <future>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

namespace stator {
namespace {

using namespace std::chrono_literals;

constexpr auto kLong = 30'000ms;

class Pipe {
 public:
  Pipe() {
    std::signal(SIGPIPE, SIG_IGN);
    REQUIRE(pipe2(ends_.data(), O_CLOEXEC) == 0);
  }
  ~Pipe() { close_reader(); }  // the queue's thread may still use the other end
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int writing_end() const { return ends_[1]; }
  void close_reader() {
    if (ends_[0] >= 0) close(ends_[0]);
    ends_[0] = -1;
  }
  // All that comes up to and with `end`.
  std::string read_to(const std::string& end) {
    std::string text;
    std::array<char, 4096> bytes;
    while (!text.ends_with(end)) {
      const ssize_t count = read(ends_[0], bytes.data(), bytes.size());
      REQUIRE(count > 0);
      text.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  std::array<int, 2> ends_{};
};

std::string report(std::uint64_t count) { return std::to_string(count) + " lost\n"; }

TEST_CASE("output queue: lines in their order", "[server]") {
  Pipe pipe;
  OutputQueue queue({.fd = pipe.writing_end(), .report_lost = report});
  std::string all;
  for (int i = 0; i < 1000; ++i) {
    const std::string line = std::to_string(i) + "\n";
    all += line;
    queue.push(line);
  }
  CHECK(pipe.read_to("999\n") == all);
  CHECK(queue.finish(kLong));
}

TEST_CASE("output queue: what finds no room is reported in its place", "[server]") {
  Pipe pipe;
  const std::string line = std::string(100'000, 'a') + "\n";  // more than a pipe holds
  std::promise<void> first_taken;
  bool is_first = true;  // the queue's thread's
  OutputQueue queue({.fd = pipe.writing_end(),
                     .bytes_max = 2 * line.size(),
                     .report_lost = report,
                     .before_write = [&] {
                       if (std::exchange(is_first, false)) first_taken.set_value();
                     }});
  queue.push(line);
  first_taken.get_future().wait();
  for (int i = 0; i < 9; ++i) queue.push(line);  // two wait, seven find no room
  CHECK_FALSE(queue.finish(0ms));
  CHECK(pipe.read_to(" lost\n") == line + line + line + "7 lost\n");
  queue.push("after\n");
  CHECK(pipe.read_to("after\n") == "after\n");
}

TEST_CASE("output queue: without a reader everything is lost at once", "[server]") {
  Pipe pipe;
  pipe.close_reader();
  OutputQueue queue({.fd = pipe.writing_end(), .report_lost = report});
  for (int i = 0; i < 100; ++i) queue.push("line\n");
  CHECK(queue.finish(kLong));
}

TEST_CASE("output queue: what a full file did not take is reported when there is room",
          "[server]") {
  // /dev/full takes nothing; then the same number means a pipe, as a file on a disk with room
  // again.
  Pipe pipe;
  const int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(fd >= 0);
  OutputQueue queue({.fd = fd, .report_lost = report});
  queue.push("one\n");
  CHECK(queue.finish(kLong));
  queue.push("two\nthree\n");
  CHECK(queue.finish(kLong));
  REQUIRE(dup3(pipe.writing_end(), fd, O_CLOEXEC) == fd);
  queue.push("four\n");
  CHECK(pipe.read_to("four\n") == "3 lost\nfour\n");
}

TEST_CASE("output queue: a descriptor that does not wait is waited for", "[server]") {
  Pipe pipe;
  REQUIRE(fcntl(pipe.writing_end(), F_SETFL, O_NONBLOCK) == 0);
  OutputQueue queue({.fd = pipe.writing_end(), .report_lost = report});
  const std::string line = std::string(200'000, 'b') + "\n";  // more than a pipe holds
  queue.push(line);
  CHECK(pipe.read_to("\n") == line);
}

}  // namespace
}  // namespace stator

// Shutdown: handles SIGTERM and SIGINT on its own thread, which no request can block.
//
// The first signal stops the server; complete requests still get their responses. A moment later
// all connections are closed. If something still runs at the last deadline (a long request, a disk
// that does not respond), the process exits at once. As with a kill, no acknowledged write is lost.
// A second signal ends the process at once.
#pragma once

#include <functional>
#include <memory>

namespace stator {

class Shutdown {
 public:
  Shutdown();
  // Construct this first: until its destructor ends, it may exit the process.
  ~Shutdown();
  Shutdown(const Shutdown&) = delete;
  Shutdown& operator=(const Shutdown&) = delete;

  // Handles signals from now on. Another thread calls each function at most once, and not after
  // served().
  void start(std::function<void()> ask, std::function<void()> force_close);
  // Stops the server as the first signal does; after that, only sets the status with which the
  // process exits at the last deadline. Any thread may call this.
  void stop(int exit_status);
  // Calls `reload` at each SIGHUP, on the thread that takes signals; otherwise it ends the process.
  // Call before start().
  void on_hangup(std::function<void()> reload);
  // Call when no connection is left. The rest must end by the same deadline.
  void served();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stator

// Shutdown: SIGTERM and SIGINT, taken on a thread of its own, so that nothing that serves can hold
// them up.
//
// The first signal asks the server to end, and what is complete is still answered. A moment later
// it insists: connections are cut off. Whatever is still at work when the last moment has passed
// (a request that computes, a disk that does not answer) is left behind: the process ends there and
// then, which loses nothing that was answered, as a kill would not. A second signal ends the
// process at once.
#pragma once

#include <functional>
#include <memory>

namespace stator {

class Shutdown {
 public:
  Shutdown();
  // Until then the process may be ended; so make this first.
  ~Shutdown();
  Shutdown(const Shutdown&) = delete;
  Shutdown& operator=(const Shutdown&) = delete;

  // Takes signals from here on. Both are called from another thread, one time at most, and not
  // after served().
  void start(std::function<void()> ask, std::function<void()> insist);
  // Nothing serves any more: what is left must end within the same time.
  void served();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stator

// Ctrl-C during a command: it completes what is in flight and reports how far it got.
#pragma once

#include <chrono>

namespace stator::data {

// The first SIGINT or SIGTERM from now on only sets a flag; the second one ends the process. Call
// once per process.
void watch_interrupts();

// For a process that handles signals itself: after prepare_interrupt(), interrupt() acts like a
// signal.
void prepare_interrupt();
void interrupt();

// Any thread may call this.
bool is_interrupted();

// Sleeps for `time`. Returns true, at once, if interrupted.
bool wait_interrupted(std::chrono::milliseconds time);

// Waits until `fd` has something to read, an end or an error. Returns false if interrupted first.
bool wait_readable(int fd);

}  // namespace stator::data

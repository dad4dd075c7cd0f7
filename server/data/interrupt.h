// Ctrl-C while a command is at work: it ends after what it has begun, and says how far it came.
#pragma once

#include <chrono>

namespace stator::data {

// From now on SIGINT and SIGTERM are noted instead of ending the process; a second one ends it.
// Once a process.
void watch_interrupts();

// For who takes signals otherwise: from prepare_interrupt() on, interrupt() does what a signal
// would.
void prepare_interrupt();
void interrupt();

// Safe from any thread.
bool is_interrupted();

// Waits; returns at once when interrupted, with true.
bool wait_interrupted(std::chrono::milliseconds time);

}  // namespace stator::data

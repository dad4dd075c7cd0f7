// Exchange: the memory of one request; see dispatcher.h.

#include <string>

#include "server/dispatch/dispatcher.h"

namespace stator {

namespace {

constexpr std::size_t kReplyBytesKept = 64 * 1024;

void empty(std::string& text) {
  if (text.capacity() > kReplyBytesKept) {
    std::string{}.swap(text);
  } else {
    text.clear();
  }
}

}  // namespace

void Exchange::reset() {
  call.reset();
  empty(out);
  body = {};
  closes = false;
  is_read = false;
  empty(asked);
  body_bytes = 0;
  if (fault) fault = {};
  fault_error.reset();
  sender.reset();
  denied_request = 0;
  would.reset();
}

std::optional<std::size_t> Exchange::keep_answer_only() {
  call.arena.reset();
  empty(asked);
  call.memory.release();
  const std::size_t held_bytes = out.capacity() + call.reply.capacity();
  if (!call.memory.try_take(held_bytes)) return std::nullopt;
  return held_bytes;
}

}  // namespace stator

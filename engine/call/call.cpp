#include "engine/call/call.h"

namespace stator {

void Call::reset() {
  constexpr std::size_t kReplyBytesKept = 64 * 1024;
  arena.reset();
  caller = {};
  operation = nullptr;
  wording = {};
  request = nullptr;
  access = Access::Read;
  consistent_read = true;
  work.begin(nullptr);
  charging.reset();
  reply.clear();
  if (reply.capacity() > kReplyBytesKept) std::string().swap(reply);
  reply_bytes_charged = 0;
  memory.release();
  walked = {};
  undone = {};
  table_name = {};
  units_milli = 0;
}

}  // namespace stator

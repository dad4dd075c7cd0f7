#include "engine/call/call.h"

namespace stator {

void Call::reset() {
  constexpr std::size_t kReplyBytesKept = 64 * 1024;
  arena.reset();
  caller = {};
  settings_of_account = nullptr;
  denied_members = {};
  failed_members = {};
  operation = nullptr;
  wording = {};
  request = nullptr;
  access = Access::Read;
  is_of_own_tool = false;
  consistent_read = true;
  work.begin(nullptr);
  charging.reset();
  reply.clear();
  if (reply.capacity() > kReplyBytesKept) std::string().swap(reply);
  reply_bytes_charged = 0;
  client_token = {};
  page_items_max = std::numeric_limits<std::size_t>::max();
  forgets_token = false;
  state_age = {};
  memory.release();
  walked = {};
  undone = {};
  table_name = {};
  units_milli = 0;
  index_uses = {};
}

}  // namespace stator

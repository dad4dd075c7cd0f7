#include "server/data/objects/object_source.h"

#include <utility>

namespace stator::data {

std::size_t ObjectSource::read(char* out, std::size_t size, std::string& why) {
  if (unread_.empty()) {
    auto block = object_->next();
    if (!block) {
      why = block.error().message;
      progress_.failure = std::move(block).error();
      return 0;
    }
    unread_ = *block;
  }
  const std::size_t count = unread_.copy(out, size);
  unread_.remove_prefix(count);
  progress_.size_bytes += static_cast<std::int64_t>(count);
  return count;
}

}  // namespace stator::data

#include "protocol/memory/arena.h"

namespace stator {

void* Arena::allocate_slow(std::size_t size_bytes, std::size_t alignment) {
  // Sizes double up to a bound; a request beyond it gets a chunk of its own size. The first chunk
  // is always the small one, so that reset() retains little.
  if (chunks_.empty()) add_chunk(kFirstChunkBytes);
  const std::size_t wanted = chunks_.back().size_bytes() * 2;
  const std::size_t usual = chunks_bytes_ >= kMuchBytes ? kMuchBytes
                            : wanted < kChunkBytesMax   ? wanted
                                                        : kChunkBytesMax;
  const std::size_t needed = size_bytes + alignment;
  if (needed > kFirstChunkBytes || chunks_.size() > 1 || next_ != chunks_.front().data()) {
    add_chunk(needed > usual ? needed : usual);
  }
  return allocate(size_bytes, alignment);
}

void Arena::add_chunk(std::size_t size_bytes) {
  if (account_ != nullptr && !chunks_.empty()) account_->take(size_bytes);
  chunks_.emplace_back(size_bytes);
  chunks_bytes_ += size_bytes;
  next_ = chunks_.back().data();
  end_ = next_ + size_bytes;
}

}  // namespace stator

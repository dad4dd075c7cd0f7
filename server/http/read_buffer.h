// ReadBuffer: received bytes in one contiguous buffer, small while a connection is idle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace stator {

class ReadBuffer {
 public:
  static constexpr std::size_t kBytesMin = 4 * 1024;
  static constexpr std::size_t kBytesMax = 64 * 1024;

  bool empty() const { return begin_ == end_; }
  std::string_view bytes() const { return {memory_.get() + begin_, end_ - begin_}; }

  void consume(std::size_t count) {
    begin_ += count;
    if (begin_ == end_) begin_ = end_ = 0;
  }

  // Space for the next read; empty if unconsumed bytes fill the buffer. Grows if the last read
  // filled it.
  std::span<char> room() {
    if (size_ == 0) resize(kBytesMin);
    if (end_ == size_) {
      if (begin_ > 0) {
        std::memmove(memory_.get(), memory_.get() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
      } else if (size_ < kBytesMax) {
        resize(std::min(size_ * 4, kBytesMax));
      }
    }
    return {memory_.get() + end_, size_ - end_};
  }
  void received(std::size_t count) {
    end_ += count;
    // A full read suggests that more bytes are available.
    if (end_ == size_ && size_ < kBytesMax) resize(std::min(size_ * 4, kBytesMax));
  }

  std::size_t capacity_bytes() const { return size_; }

  // Shrinks an empty buffer to the small size, between requests.
  void shrink() {
    if (empty() && size_ > kBytesMin) {
      memory_.reset();
      size_ = 0;
    }
  }

 private:
  void resize(std::size_t size) {
    auto memory = std::make_unique_for_overwrite<char[]>(size);
    if (end_ > begin_) std::memcpy(memory.get(), memory_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    memory_ = std::move(memory);
    size_ = size;
  }

  std::unique_ptr<char[]> memory_;
  std::size_t size_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace stator

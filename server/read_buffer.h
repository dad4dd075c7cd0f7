// ReadBuffer: received bytes in one run, small while a connection is idle.
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

  // Where to put what comes next; empty when the buffer is full of unconsumed bytes. Grows when it
  // was filled to the brim.
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
    // A full read means that more is waiting.
    if (end_ == size_ && size_ < kBytesMax) resize(std::min(size_ * 4, kBytesMax));
  }

  std::size_t capacity_bytes() const { return size_; }

  // Between requests: back to the small size when nothing is in it.
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

// A file descriptor that closes itself, and what went wrong with one. Internal to this folder and
// to data_folder.cpp.
#pragma once

#include <string>
#include <utility>

namespace stator::storage {

// A file descriptor, closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();

  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// What an errno means, for messages; without one, that of the call that just failed.
std::string errno_text(int code);
std::string errno_text();

}  // namespace stator::storage

// A file descriptor that closes itself, and error texts. Internal to this folder and to
// data_folder.cpp.
#pragma once

#include <string>
#include <utility>

namespace stator::storage {

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

// The text of an errno, for messages; without argument, of the last failed call.
std::string errno_text(int code);
std::string errno_text();

}  // namespace stator::storage

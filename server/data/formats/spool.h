// Spool: bytes that wait on the disk, in a file without a name, so that nothing of it remains
// however the command ends.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "server/data/formats/input_file.h"

namespace stator::data {

class Spool {
 public:
  // Uses the folder's file system. The error is for people.
  static tl::expected<Spool, std::string> create(const std::string& folder);
  ~Spool();
  Spool(Spool&& other) noexcept
      : fd_{std::exchange(other.fd_, -1)},
        buffer_{std::move(other.buffer_)},
        folder_{std::move(other.folder_)},
        error_{std::move(other.error_)} {}
  Spool& operator=(Spool&&) = delete;

  // Returns false on an error, see error().
  bool append(std::string_view bytes);
  // Returns a reader of all bytes. No append() may follow. The error is for people.
  tl::expected<InputFile, std::string> read();
  const std::string& error() const { return error_; }

 private:
  Spool() = default;
  bool flush();

  int fd_ = -1;
  std::string buffer_;
  std::string folder_;
  std::string error_;
};

}  // namespace stator::data

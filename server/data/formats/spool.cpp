#include "server/data/formats/spool.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/data_folder/unnamed_file.h"

namespace stator::data {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

}  // namespace

tl::expected<Spool, std::string> Spool::create(const std::string& folder) {
  Spool spool;
  spool.folder_ = folder;
  spool.fd_ = open_unnamed_file(spool.folder_, 0600);
  if (spool.fd_ < 0) {
    std::string name = spool.folder_ + "/stator-spool-XXXXXX";
    spool.fd_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (spool.fd_ >= 0) ::unlink(name.c_str());
  }
  if (spool.fd_ < 0) return tl::unexpected(spool.folder_ + ": " + std::strerror(errno));
  return spool;
}

Spool::~Spool() {
  if (fd_ >= 0) ::close(fd_);
}

bool Spool::append(std::string_view bytes) {
  buffer_ += bytes;
  return buffer_.size() < kBufferBytes ? error_.empty() : flush();
}

bool Spool::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && error_.empty()) {
    const ssize_t count = ::write(fd_, rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      error_ = "a file that items wait in, in " + folder_ + ": " + std::strerror(errno);
    }
  }
  buffer_.clear();
  return error_.empty();
}

tl::expected<InputFile, std::string> Spool::read() {
  if (!flush()) return tl::unexpected(error_);
  if (::lseek(fd_, 0, SEEK_SET) != 0) return tl::unexpected(std::string(std::strerror(errno)));
  return InputFile::of(std::exchange(fd_, -1), "the file that items wait in", Packing::None);
}

}  // namespace stator::data

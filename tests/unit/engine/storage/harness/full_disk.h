// FullDisk: a disk without room, as far as this process is concerned.
#pragma once

#include <sys/resource.h>

#include <csignal>
#include <cstddef>

namespace stator::storage {

// Files may not grow while this lives.
class FullDisk {
 public:
  explicit FullDisk(std::size_t file_bytes_max) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = file_bytes_max;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace stator::storage

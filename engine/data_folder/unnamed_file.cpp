#include "engine/data_folder/unnamed_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace stator {

namespace {

// The way to name a file by its descriptor, without privileges.
constexpr const char* kDescriptors = "/proc/self/fd";

}  // namespace

int open_unnamed_file(const std::filesystem::path& folder, mode_t mode) {
  if (::access(kDescriptors, X_OK) != 0) return -1;
  const std::filesystem::path named = folder.empty() ? "." : folder;
  return ::open(named.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

int name_file(int fd, const std::filesystem::path& path) {
  const std::string from = std::string(kDescriptors) + "/" + std::to_string(fd);
  const auto link = [&] {
    return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (link()) return 0;
  if (errno != EEXIST || ::unlink(path.c_str()) != 0) return errno;
  return link() ? 0 : errno;
}

}  // namespace stator

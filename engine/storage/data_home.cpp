#include "engine/storage/data_home.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

namespace stator::storage {
namespace {

constexpr std::string_view kLockFileName = "lock";
constexpr std::string_view kDataFileName = "data.mdb";
constexpr std::string_view kLmdbLockFileName = "lock.mdb";

std::string errno_text() { return std::generic_category().message(errno); }

// The number that the holder of the lock wrote into it, for the user's convenience only.
std::string holder_of(int fd) {
  std::array<char, 16> text{};
  const ssize_t length = ::pread(fd, text.data(), text.size(), 0);
  if (length <= 0) return {};
  const std::string_view pid(text.data(), static_cast<std::size_t>(length));
  if (pid.find_first_not_of("0123456789") != std::string_view::npos) return {};
  return " (process " + std::string(pid) + ")";
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

tl::expected<Descriptor, std::string> lock_data_folder(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return tl::unexpected("cannot create it: " + failure.message());
  Descriptor lock(::open((folder / kLockFileName).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock) return tl::unexpected("cannot write to it: " + errno_text());
  if (::flock(lock.fd(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return tl::unexpected("cannot lock it: " + errno_text());
    return tl::unexpected("it is in use by another process" + holder_of(lock.fd()));
  }
  // Only a hint for the message above, so a full disk is no reason to fail here.
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(lock.fd(), 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(lock.fd(), pid.data(), pid.size(), 0);
  }
  return lock;
}

tl::expected<void, std::string> sync_folder_entries(const std::filesystem::path& folder) {
  std::error_code failure;
  const auto absolute = std::filesystem::canonical(folder, failure);
  if (failure) return tl::unexpected(failure.message());
  for (const auto& path : {absolute, absolute.parent_path()}) {
    const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // A parent that may be searched but not read cannot be synced by us; the folder itself must be.
    if (!directory && path != absolute) continue;
    if (!directory || ::fsync(directory.fd()) != 0) {
      if (errno == EINVAL) continue;  // a file system without directory fsync
      return tl::unexpected("cannot sync it: " + errno_text());
    }
  }
  return {};
}

std::vector<std::filesystem::path> MemoryFiles::usual_parents() {
  std::vector<std::filesystem::path> parents = {"/dev/shm"};
  for (const char* variable : {"TMPDIR", "XDG_RUNTIME_DIR"}) {
    if (const char* value = std::getenv(variable); value != nullptr && *value != '\0') {
      parents.emplace_back(value);
    }
  }
  parents.insert(parents.end(), {"/tmp", "/run", "/var/tmp", "."});
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    parents.emplace_back(home);
  }
  return parents;
}

tl::expected<MemoryFiles, std::string> MemoryFiles::create(
    const std::vector<std::filesystem::path>& parents) {
  MemoryFiles files;
  files.data_ = Descriptor(::memfd_create("stator-data", MFD_CLOEXEC));
  files.lock_ = Descriptor(::memfd_create("stator-lock", MFD_CLOEXEC));
  if (!files.data_ || !files.lock_) return tl::unexpected("memfd_create: " + errno_text());
  std::string why = "no folder to try";
  for (const auto& parent : parents) {
    why = files.link_in(parent);
    if (why.empty()) return files;
  }
  return tl::unexpected(std::move(why));
}

std::string MemoryFiles::link_in(const std::filesystem::path& parent) {
  std::error_code failure;
  auto absolute = std::filesystem::absolute(parent, failure);
  if (failure) return parent.string() + ": " + failure.message();
  std::string name = (absolute / "stator-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return parent.string() + ": " + errno_text();
  const std::filesystem::path folder = name;
  const auto link = [&](const Descriptor& file, std::string_view file_name) {
    const std::string target = "/proc/self/fd/" + std::to_string(file.fd());
    // Opening through the link is what LMDB will do: /proc may be missing.
    return ::symlink(target.c_str(), (folder / file_name).c_str()) == 0 &&
           Descriptor(::open((folder / file_name).c_str(), O_RDWR | O_CLOEXEC));
  };
  if (link(data_, kDataFileName) && link(lock_, kLmdbLockFileName)) {
    folder_ = folder;
    return {};
  }
  const std::string why = parent.string() + ": " + errno_text();
  std::filesystem::remove_all(folder, failure);
  return why;
}

MemoryFiles::~MemoryFiles() {
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace stator::storage

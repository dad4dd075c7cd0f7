#include "engine/storage/durability/data_home.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

namespace stator::storage {
namespace {

constexpr std::string_view kLockFileName = "lock";
constexpr std::string_view kDataFileName = "data.mdb";
constexpr std::string_view kLmdbLockFileName = "lock.mdb";

// The process id stored in the lock; 0 if it cannot be read.
pid_t holder_of(int fd) {
  std::array<char, 16> text{};
  const ssize_t length = ::pread(fd, text.data(), text.size(), 0);
  if (length <= 0) return 0;
  pid_t holder = 0;
  const char* const end = text.data() + length;
  const auto read = std::from_chars(text.data(), end, holder);
  return read.ec == std::errc{} && read.ptr == end ? holder : 0;
}

// Waits for the end of the process, at most `patience`.
void wait_for_end(pid_t process, std::chrono::milliseconds patience) {
  if (process <= 0 || patience.count() == 0) return;
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (!handle) return;  // ended, or in another container
  pollfd ending{.fd = handle.fd(), .events = POLLIN, .revents = 0};
  ::poll(&ending, 1, static_cast<int>(patience.count()));
}

bool try_lock(const Descriptor& lock) { return ::flock(lock.fd(), LOCK_EX | LOCK_NB) == 0; }

// Locks both or neither. Some file systems cannot lock a folder; then the file's lock must do.
bool try_lock(const FolderLock& lock) {
  if (!try_lock(lock.folder) && errno == EWOULDBLOCK) return false;
  if (try_lock(lock.file)) return true;
  const int code = errno;
  ::flock(lock.folder.fd(), LOCK_UN);
  errno = code;
  return false;
}

// Accessible to its owner only, whatever the umask.
std::string make_folder(const std::filesystem::path& folder) {
  std::error_code failure;
  if (std::filesystem::is_directory(folder, failure)) return {};
  const auto parent = std::filesystem::absolute(folder / "", failure).parent_path().parent_path();
  std::filesystem::create_directories(parent, failure);
  if (!failure && ::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    failure = {errno, std::generic_category()};
  if (!failure && !std::filesystem::is_directory(folder, failure) && !failure)
    failure = std::make_error_code(std::errc::not_a_directory);
  return failure ? failure.message() : std::string();
}

// Empty if `name` is a regular file of its own in the folder, or absent.
std::string why_no_file(const std::filesystem::path& folder, std::string_view name) {
  struct stat found {};
  if (::lstat((folder / name).c_str(), &found) != 0 || S_ISREG(found.st_mode)) return {};
  return "its " + std::string(name) +
         (S_ISLNK(found.st_mode) ? " is a symbolic link" : " is not a file");
}

// Works without a spare descriptor.
void remove_links(const std::filesystem::path& folder) {
  for (const std::string_view name : {kDataFileName, kLmdbLockFileName})
    ::unlink((folder / name).c_str());
  ::rmdir(folder.c_str());
}

}  // namespace

tl::expected<FolderLock, std::string> lock_data_folder(const std::filesystem::path& folder,
                                                       std::chrono::milliseconds patience) {
  if (const std::string why = make_folder(folder); !why.empty())
    return tl::unexpected("cannot create it: " + why);
  if (std::string why = why_no_file(folder, kLockFileName); !why.empty())
    return tl::unexpected(std::move(why));
  FolderLock lock;
  lock.folder = Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.folder) return tl::unexpected("cannot read it: " + errno_text());
  lock.file = Descriptor(
      ::open((folder / kLockFileName).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.file) return tl::unexpected("cannot write to it: " + errno_text());
  bool is_locked = try_lock(lock);
  if (!is_locked && errno == EWOULDBLOCK) {
    wait_for_end(holder_of(lock.file.fd()), patience);
    is_locked = try_lock(lock);
  }
  if (!is_locked) {
    if (errno != EWOULDBLOCK) return tl::unexpected("cannot lock it: " + errno_text());
    const pid_t holder = holder_of(lock.file.fd());
    return tl::unexpected("it is in use by another process" +
                          (holder > 0 ? " (process " + std::to_string(holder) + ")" : ""));
  }
  // Only a hint for waiting processes, so a full disk is no failure.
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(lock.file.fd(), 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(lock.file.fd(), pid.data(), pid.size(), 0);
  }
  return lock;
}

tl::expected<void, std::string> prepare_files(const std::filesystem::path& folder) {
  constexpr off_t kLmdbLockBytes = 64 * 1024;  // for twice the maximum number of readers
  for (const std::string_view name : {kDataFileName, kLmdbLockFileName})
    if (std::string why = why_no_file(folder, name); !why.empty())
      return tl::unexpected(std::move(why));
  if (::unlink((folder / kCompactedFileName).c_str()) != 0 && errno != ENOENT)
    return tl::unexpected("cannot remove its " + std::string(kCompactedFileName) + ": " +
                          errno_text());
  const Descriptor readers(::open((folder / kLmdbLockFileName).c_str(),
                                  O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!readers) return tl::unexpected("cannot open its lock.mdb: " + errno_text());
  if (const int code = ::posix_fallocate(readers.fd(), 0, kLmdbLockBytes); code != 0) {
    return tl::unexpected("there is no space left for its lock.mdb: " +
                          std::generic_category().message(code));
  }
  return {};
}

tl::expected<void, std::string> sync_folder_entries(const std::filesystem::path& folder) {
  std::error_code failure;
  const auto absolute = std::filesystem::canonical(folder, failure);
  if (failure) return tl::unexpected(failure.message());
  for (const auto& path : {absolute, absolute.parent_path()}) {
    const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // A parent that can be searched but not read cannot be synced by us; the folder itself must be.
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
  // LMDB opens them by name.
  if (::access("/proc/self/fd", X_OK) != 0)
    return tl::unexpected(
        std::string("/proc is not mounted; data in a folder (--db-path) does "
                    "without"));
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
    // Opens through the link as LMDB will: /proc may be missing.
    return ::symlink(target.c_str(), (folder / file_name).c_str()) == 0 &&
           Descriptor(::open((folder / file_name).c_str(), O_RDWR | O_CLOEXEC));
  };
  if (link(data_, kDataFileName) && link(lock_, kLmdbLockFileName)) {
    folder_ = folder;
    return {};
  }
  std::string why = parent.string() + ": " + errno_text();
  remove_links(folder);
  return why;
}

MemoryFiles::~MemoryFiles() {
  if (!folder_.empty()) remove_links(folder_);
}

}  // namespace stator::storage

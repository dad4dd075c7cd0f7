// A library to preload: writes down what a process writes to data.mdb, synced, kept and kept2 of
// one folder, and when it syncs them, so that power cuts can be played afterwards. It can also make
// the machine seem started anew.
//
// POWER_CUT_FOLDER is the folder, POWER_CUT_LOG the file written, POWER_CUT_BOOT_ID a file that
// stands for /proc/sys/kernel/random/boot_id. POWER_CUT_SYNC_MS makes the disk slow: each sync of
// data.mdb takes that much longer. The log is a run of entries:
//   kind:u8 | file:u8 | offset:u64le | length:u64le | nanoseconds:u64le | bytes
// kind is W (written; D: and on the disk), B and E (begin and end of a sync, length: an id that
// both share), T (length: the file's new size). file is 0 for data.mdb, 1 for synced, 2 for kept,
// 3 for kept2. A write is entered while no other can be made, so the log has them in their order;
// what stands before the begin of a sync is on the disk at its end.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>
#include <string>

namespace {

constexpr int kDescriptorsMax = 65536;
constexpr char kOther = 0;  // else 1 + the number of the file
std::array<std::atomic<char>, kDescriptorsMax> followed{};
std::array<std::atomic<bool>, kDescriptorsMax> is_synchronous{};
std::mutex order;
std::atomic<uint64_t> syncs{0};

template <class Function>
Function real(Function, const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
#define REAL(name) static const auto original = real(&name, #name)

int log_file() {
  static const int file = [] {
    const char* path = getenv("POWER_CUT_LOG");
    const auto open_file =
        reinterpret_cast<int (*)(const char*, int, ...)>(dlsym(RTLD_NEXT, "open"));
    return path == nullptr ? -1 : open_file(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }();
  return file;
}

int file_of(int fd) {
  return fd >= 0 && fd < kDescriptorsMax ? followed[static_cast<size_t>(fd)].load() - 1 : -1;
}

void put(std::string& out, uint64_t value) {
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

// REQUIRES: `order` is held.
void enter(char kind, int file, uint64_t offset, uint64_t length, std::string_view bytes = {}) {
  if (log_file() < 0) return;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  std::string entry;
  entry.push_back(kind);
  entry.push_back(static_cast<char>(file));
  put(entry, offset);
  put(entry, length);
  put(entry,
      static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec));
  entry.append(bytes);
  static const auto write_out =
      reinterpret_cast<ssize_t (*)(int, const void*, size_t)>(dlsym(RTLD_NEXT, "write"));
  size_t done = 0;
  while (done < entry.size()) {
    const ssize_t written = write_out(log_file(), entry.data() + done, entry.size() - done);
    if (written < 0) abort();
    done += static_cast<size_t>(written);
  }
}

void follow(int fd, const char* path, int flags) {
  if (fd < 0 || fd >= kDescriptorsMax) return;
  const char* folder = getenv("POWER_CUT_FOLDER");
  char file = kOther;
  if (folder != nullptr) {
    const std::string prefix = std::string(folder) + "/";
    if (path == prefix + "data.mdb") file = 1;
    if (path == prefix + "synced") file = 2;
    if (path == prefix + "kept") file = 3;
    if (path == prefix + "kept2") file = 4;
  }
  followed[static_cast<size_t>(fd)] = file;
  is_synchronous[static_cast<size_t>(fd)] = (flags & O_DSYNC) != 0;
}

const char* redirected(const char* path) {
  const char* boot = getenv("POWER_CUT_BOOT_ID");
  return boot != nullptr && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0 ? boot : path;
}

template <class Original>
int open_as(Original original, const char* path, int flags, mode_t mode) {
  const int fd = original(redirected(path), flags, mode);
  follow(fd, path, flags);
  return fd;
}

// Does the write and enters it.
template <class Write>
ssize_t written_by(int fd, uint64_t offset, std::string_view bytes, Write write) {
  const int file = file_of(fd);
  if (file < 0) return write();
  const std::scoped_lock lock(order);
  const ssize_t length = write();
  if (length > 0) {
    const bool is_on_disk = is_synchronous[static_cast<size_t>(fd)];
    enter(is_on_disk ? 'D' : 'W', file, offset, static_cast<uint64_t>(length),
          bytes.substr(0, static_cast<size_t>(length)));
  }
  return length;
}

std::string joined(const iovec* parts, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i)
    bytes.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  return bytes;
}

void be_slow() {
  static const long extra_ms = [] {
    const char* text = getenv("POWER_CUT_SYNC_MS");
    return text == nullptr ? 0 : strtol(text, nullptr, 10);
  }();
  const timespec extra{extra_ms / 1000, extra_ms % 1000 * 1'000'000};
  nanosleep(&extra, nullptr);
}

template <class Sync>
int synced_by(int fd, Sync sync) {
  const int file = file_of(fd);
  if (file < 0) return sync();
  const uint64_t id = ++syncs;
  {
    const std::scoped_lock lock(order);
    enter('B', file, 0, id);
  }
  if (file == 0) be_slow();
  const int result = sync();
  const std::scoped_lock lock(order);
  if (result == 0) enter('E', file, 0, id);
  return result;
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

uint64_t position(int fd) { return static_cast<uint64_t>(lseek(fd, 0, SEEK_CUR)); }

std::string_view view(const void* bytes, size_t size) {
  return {static_cast<const char*>(bytes), size};
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  REAL(open);
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_as(original, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  REAL(open64);
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_as(original, path, flags, mode);
}
int close(int fd) {
  REAL(close);
  if (fd >= 0 && fd < kDescriptorsMax) followed[static_cast<size_t>(fd)] = kOther;
  return original(fd);
}
ssize_t write(int fd, const void* bytes, size_t size) {
  REAL(write);
  if (file_of(fd) < 0) return original(fd, bytes, size);
  const uint64_t offset = position(fd);
  return written_by(fd, offset, view(bytes, size), [&] { return original(fd, bytes, size); });
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  REAL(pwrite);
  return written_by(fd, static_cast<uint64_t>(offset), view(bytes, size),
                    [&] { return original(fd, bytes, size, offset); });
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset) {
  REAL(pwrite64);
  return written_by(fd, static_cast<uint64_t>(offset), view(bytes, size),
                    [&] { return original(fd, bytes, size, offset); });
}
ssize_t writev(int fd, const iovec* parts, int count) {
  REAL(writev);
  if (file_of(fd) < 0) return original(fd, parts, count);
  const uint64_t offset = position(fd);
  return written_by(fd, offset, joined(parts, count), [&] { return original(fd, parts, count); });
}
ssize_t pwritev(int fd, const iovec* parts, int count, off_t offset) {
  REAL(pwritev);
  if (file_of(fd) < 0) return original(fd, parts, count, offset);
  return written_by(fd, static_cast<uint64_t>(offset), joined(parts, count),
                    [&] { return original(fd, parts, count, offset); });
}
ssize_t pwritev64(int fd, const iovec* parts, int count, off64_t offset) {
  REAL(pwritev64);
  if (file_of(fd) < 0) return original(fd, parts, count, offset);
  return written_by(fd, static_cast<uint64_t>(offset), joined(parts, count),
                    [&] { return original(fd, parts, count, offset); });
}
int ftruncate(int fd, off_t size) noexcept {
  REAL(ftruncate);
  const int file = file_of(fd);
  if (file < 0) return original(fd, size);
  const std::scoped_lock lock(order);
  const int result = original(fd, size);
  if (result == 0) enter('T', file, 0, static_cast<uint64_t>(size));
  return result;
}
int ftruncate64(int fd, off64_t size) noexcept {
  REAL(ftruncate64);
  const int file = file_of(fd);
  if (file < 0) return original(fd, size);
  const std::scoped_lock lock(order);
  const int result = original(fd, size);
  if (result == 0) enter('T', file, 0, static_cast<uint64_t>(size));
  return result;
}
int fsync(int fd) {
  REAL(fsync);
  return synced_by(fd, [&] { return original(fd); });
}
int fdatasync(int fd) {
  REAL(fdatasync);
  return synced_by(fd, [&] { return original(fd); });
}
}

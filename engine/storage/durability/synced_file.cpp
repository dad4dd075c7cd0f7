#include "engine/storage/durability/synced_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <utility>

#include "engine/storage/bytes/bytes.h"

namespace stator::storage {
namespace {

// By the number of files for preserved pages.
constexpr std::array<std::string_view, 3> kMagics = {"stator synced 1\n", "stator synced 2\n",
                                                     "stator synced 3\n"};
constexpr std::size_t kSlotBytes = 4096;  // writing one cannot harm the other
constexpr std::size_t kSlotBytesUsedMax = 512;
constexpr std::size_t kBootIdBytesMax = 64;
constexpr std::string_view kBootTimePrefix = "since ";
constexpr std::int64_t kBootTimeSlack_s = 5;

// FNV-1a: detects any torn or foreign slot; forgery is no concern.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    sum *= 0x100000001b3;
  }
  return sum;
}

struct Slot {
  std::uint64_t sequence = 0;
  SyncedState mark;
};

std::string encode(const Slot& slot) {
  std::string bytes;
  ByteWriter out(bytes);
  out.raw(kMagics.at(slot.mark.kept_files));
  out.be(slot.sequence);
  out.u8(static_cast<std::uint8_t>(slot.mark.use));
  out.bytes(slot.mark.boot);
  out.be(slot.mark.data.inode);
  out.be(static_cast<std::uint64_t>(slot.mark.data.born_s));
  out.be(slot.mark.data.born_ns);
  out.bytes(bytes_of(slot.mark.state));
  out.be(checksum(bytes));
  return bytes;
}

std::optional<Slot> decode(std::string_view bytes) {
  ByteReader in(bytes);
  Slot slot;
  const auto magic = std::ranges::find(kMagics, in.raw(kMagics[0].size()));
  const bool is_ours = magic != kMagics.end();
  slot.mark.kept_files = static_cast<std::uint8_t>(magic - kMagics.begin());
  slot.sequence = in.be<std::uint64_t>();
  slot.mark.use = FolderState{in.u8()};
  slot.mark.boot = in.bytes();
  slot.mark.data.inode = in.be<std::uint64_t>();
  slot.mark.data.born_s = static_cast<std::int64_t>(in.be<std::uint64_t>());
  slot.mark.data.born_ns = in.be<std::uint32_t>();
  const auto state = meta_page_of(in.bytes());
  const std::size_t summed_bytes = bytes.size() - in.rest().size();
  const auto sum = in.be<std::uint64_t>();
  if (!is_ours || in.is_damaged() || !state || sum != checksum(bytes.substr(0, summed_bytes)))
    return {};
  slot.mark.state = *state;
  return slot;
}

std::optional<Slot> read_slot(int file, std::size_t number, bool& is_blank) {
  std::array<char, kSlotBytesUsedMax> bytes{};
  const ssize_t length =
      ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(number * kSlotBytes));
  if (length <= 0) return {};
  const std::string_view read(bytes.data(), static_cast<std::size_t>(length));
  if (read.find_first_not_of('\0') != std::string_view::npos) is_blank = false;
  return decode(read);
}

// The time at which the machine started, by its current clocks.
std::string boot_time_id() {
  timespec now{};
  timespec up{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  ::clock_gettime(CLOCK_BOOTTIME, &up);
  return std::string(kBootTimePrefix) + std::to_string(now.tv_sec - up.tv_sec);
}

std::optional<std::int64_t> boot_time_s(std::string_view id) {
  if (!id.starts_with(kBootTimePrefix)) return {};
  id.remove_prefix(kBootTimePrefix.size());
  std::int64_t time_s = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), time_s);
  if (error != std::errc() || end != id.data() + id.size()) return {};
  return time_s;
}

}  // namespace

bool is_same_boot(std::string_view one, std::string_view other) {
  const auto one_s = boot_time_s(one);
  const auto other_s = boot_time_s(other);
  if (one_s && other_s) return std::abs(*one_s - *other_s) <= kBootTimeSlack_s;
  return !one.empty() && one == other;
}

std::string read_boot_id(const std::filesystem::path& file) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened) return boot_time_id();
  std::array<char, kBootIdBytesMax> text{};
  const ssize_t length = ::read(opened.fd(), text.data(), text.size());
  if (length <= 0) return boot_time_id();
  std::string_view id(text.data(), static_cast<std::size_t>(length));
  return std::string(id.substr(0, id.find_first_of(std::string_view("\n\0", 2))));
}

FileIdentity identity_of(int file) {
  struct statx found {};
  if (::statx(file, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &found) == 0) {
    if ((found.stx_mask & STATX_BTIME) == 0) return {found.stx_ino, 0, 0};
    return {found.stx_ino, found.stx_btime.tv_sec, found.stx_btime.tv_nsec};
  }
  struct stat plain {};
  if (::fstat(file, &plain) != 0) return {};
  return {plain.st_ino, 0, 0};
}

tl::expected<SyncedFile, std::string> SyncedFile::open(const std::filesystem::path& folder) {
  SyncedFile synced;
  const auto path = folder / kSyncedFileName;
  synced.file_ = Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!synced.file_) return tl::unexpected("cannot open its file synced: " + errno_text());
  // Allocates both slots once.
  if (const int code = ::posix_fallocate(synced.file_.fd(), 0, 2 * kSlotBytes); code != 0)
    return tl::unexpected("there is no space left for its file synced: " + errno_text(code));
  bool is_blank = true;
  for (const std::size_t number : {0U, 1U}) {
    auto slot = read_slot(synced.file_.fd(), number, is_blank);
    if (!slot || (synced.mark_ && slot->sequence < synced.sequence_)) continue;
    synced.sequence_ = slot->sequence;
    synced.mark_ = std::move(slot->mark);
  }
  if (!synced.mark_ && !is_blank) return tl::unexpected(std::string("its file synced is damaged"));
  return synced;
}

int SyncedFile::write(const SyncedState& mark) {
  const Slot next{sequence_ + 1, mark};
  const std::string bytes = encode(next);
  assert(bytes.size() <= kSlotBytesUsedMax);
  const auto offset = static_cast<off_t>(next.sequence % 2 * kSlotBytes);
  const ssize_t written = ::pwrite(file_.fd(), bytes.data(), bytes.size(), offset);
  if (written < 0) return errno;
  if (static_cast<std::size_t>(written) != bytes.size()) return ENOSPC;
  if (::fdatasync(file_.fd()) != 0) return errno;
  sequence_ = next.sequence;
  mark_ = mark;
  return 0;
}

}  // namespace stator::storage

#include "engine/storage/durability/preserved_pages.h"

#include <fcntl.h>
#include <libdeflate.h>
#include <lmdb.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/lmdb/free_list.h"

namespace stator::storage {
namespace {

constexpr std::string_view kMagic = "stator kept 1\n";
constexpr std::size_t kHeadBytes = 4096;  // head of a batch; its pages follow
constexpr std::size_t kBatchPagesMax = 256;
constexpr std::uint64_t kKeptBytesMax = std::uint64_t{128} << 20;
// On a disk with less free space than this the file does not grow, and is truncated for the next
// state: the data needs the space more.
constexpr std::uint64_t kRoomBytes = std::uint64_t{256} << 20;

std::string cannot_open(std::string_view name) {
  return "cannot open its file " + std::string(name) + ": " + errno_text();
}

bool read_all(int file, char* to, std::size_t size, std::uint64_t offset) {
  return ::pread(file, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

bool write_all(int file, std::string_view bytes, std::uint64_t offset) {
  const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  return written == static_cast<ssize_t>(bytes.size());
}

// Distinguishes a state from all others that the same file ever had. A state may recur after a
// recovery to it; its pages are then the same too. How the folder is used makes no difference.
std::string identity(const SyncedState& mark) {
  std::string bytes;
  ByteWriter out(bytes);
  out.bytes(mark.boot);
  out.be(mark.data.inode);
  out.be(static_cast<std::uint64_t>(mark.data.born_s));
  out.be(mark.data.born_ns);
  out.bytes(bytes_of(mark.state));
  return bytes;
}

// The head before the pages of a batch.
struct Head {
  std::string of;
  std::vector<std::uint64_t> pages;
  std::uint32_t sum = 0;  // CRC-32 of the pages' bytes

  std::string encode() const {
    std::string bytes;
    ByteWriter out(bytes);
    out.raw(kMagic);
    out.bytes(of);
    out.be(static_cast<std::uint32_t>(pages.size()));
    for (const std::uint64_t page : pages) out.be(page);
    out.be(sum);
    out.be(libdeflate_crc32(0, bytes.data(), bytes.size()));
    return bytes;
  }

  static std::optional<Head> decode(std::string_view bytes) {
    ByteReader in(bytes);
    if (in.raw(kMagic.size()) != kMagic) return {};
    Head head;
    head.of = in.bytes();
    const auto count = in.be<std::uint32_t>();
    if (in.is_damaged() || count == 0 || count > kBatchPagesMax) return {};
    for (std::uint32_t i = 0; i < count; ++i) head.pages.push_back(in.be<std::uint64_t>());
    head.sum = in.be<std::uint32_t>();
    const std::size_t summed_bytes = bytes.size() - in.rest().size();
    const auto sum = in.be<std::uint32_t>();
    if (in.is_damaged() || sum != libdeflate_crc32(0, bytes.data(), summed_bytes)) return {};
    return head;
  }
};

}  // namespace

tl::expected<PreservedPages, std::string> PreservedPages::open(const std::filesystem::path& folder,
                                                               const char* name) {
  const auto open_with = [&](int more) {
    return Descriptor(
        ::open((folder / name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | more, 0600));
  };
  PreservedPages kept;
  // The file is not read during use, so it bypasses the kernel's cache.
  kept.file_ = open_with(O_DIRECT);
  if (!kept.file_ && errno == EINVAL) kept.file_ = open_with(0);  // a file system without O_DIRECT
  if (!kept.file_) return tl::unexpected(cannot_open(name));
  return kept;
}

int PreservedPages::begin(MDB_txn* reader, const SyncedState& mark) {
  of_.clear();
  kept_ = 0;
  page_bytes_ = mark.state.trees[0].page_bytes;
  if (page_bytes_ > static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))) return MDB_INCOMPATIBLE;
  is_spare_.assign(mark.state.last_page + 1, false);
  const int code = visit_free_list(reader, 0, [&](const FreedPages& freed) {
    for (std::size_t i = 0; i < freed.size(); ++i)
      if (freed.page(i) < is_spare_.size()) is_spare_[freed.page(i)] = true;
    return true;
  });
  if (code != MDB_SUCCESS) return code;
  if (!has_room() && ::ftruncate(file_.fd(), 0) != 0) return errno;
  seen_ = mark.state.transaction;
  end_ = 0;
  of_ = identity(mark);
  return MDB_SUCCESS;
}

PreservedPages::Outcome PreservedPages::keep(MDB_txn* reader) {
  if (of_.empty()) return Outcome::NoRoom;
  std::vector<std::uint64_t> pages;
  const char* map = nullptr;
  const int code = visit_free_list(reader, seen_ + 1, [&](const FreedPages& freed) {
    map = freed.map(page_bytes_);
    for (std::size_t i = 0; i < freed.size(); ++i) {
      const std::uint64_t page = freed.page(i);
      if (page < is_spare_.size() && !is_spare_[page]) pages.push_back(page);
    }
    return (kept_ + pages.size()) * page_bytes_ <= kKeptBytesMax;
  });
  if (code != MDB_SUCCESS) return Outcome::NoRoom;
  if ((kept_ + pages.size()) * page_bytes_ > kKeptBytesMax) return Outcome::Full;
  if (const Outcome written = write(pages, map); written != Outcome::Kept) return written;
  for (const std::uint64_t page : pages) is_spare_[page] = true;
  kept_ += pages.size();
  seen_ = mdb_txn_id(reader);
  return Outcome::Kept;
}

bool PreservedPages::is_almost_full() const { return kept_ * page_bytes_ > kKeptBytesMax / 4 * 3; }

PreservedPages::Outcome PreservedPages::write(const std::vector<std::uint64_t>& pages,
                                              const char* map) {
  if (pages.empty()) return Outcome::Kept;
  const std::uint64_t batches = (pages.size() + kBatchPagesMax - 1) / kBatchPagesMax;
  const std::uint64_t before = end_;
  bool is_written = may_reach(end_ + batches * kHeadBytes + pages.size() * page_bytes_);
  for (std::size_t at = 0; is_written && at < pages.size(); at += kBatchPagesMax)
    is_written = write_batch(&pages[at], std::min(kBatchPagesMax, pages.size() - at), map);
  if (is_written && ::fdatasync(file_.fd()) == 0) return Outcome::Kept;
  end_ = before;
  return Outcome::NoRoom;
}

// Writes the pages directly from the map: the open reader protects them from change.
bool PreservedPages::write_batch(const std::uint64_t* pages, std::size_t count, const char* map) {
  alignas(kHeadBytes) std::array<char, kHeadBytes> head_bytes{};
  Head head{of_, {pages, pages + count}, 0};
  std::array<iovec, 1 + kBatchPagesMax> parts;
  parts[0] = {head_bytes.data(), kHeadBytes};
  for (std::size_t i = 0; i < count; ++i) {
    char* const page = const_cast<char*>(map) + pages[i] * page_bytes_;
    head.sum = libdeflate_crc32(head.sum, page, page_bytes_);
    parts[1 + i] = {page, page_bytes_};
  }
  const std::string encoded = head.encode();
  assert(encoded.size() <= kHeadBytes);
  std::ranges::copy(encoded, head_bytes.begin());
  return write_out(parts.data(), static_cast<int>(1 + count), kHeadBytes + count * page_bytes_);
}

bool PreservedPages::write_out(const iovec* parts, int count, std::size_t size) {
  const auto write = [&] { return ::pwritev(file_.fd(), parts, count, static_cast<off_t>(end_)); };
  ssize_t written = write();
  if (written < 0 && errno == EINVAL && ::fcntl(file_.fd(), F_SETFL, 0) == 0)
    written = write();  // a file system that rejects O_DIRECT only now
  if (written != static_cast<ssize_t>(size)) return false;
  end_ += size;
  return true;
}

bool PreservedPages::may_reach(std::uint64_t end) const {
  struct stat file {};
  if (::fstat(file_.fd(), &file) != 0) return false;
  return end <= static_cast<std::uint64_t>(file.st_size) || has_room();
}

bool PreservedPages::has_room() const {
  struct statvfs system {};
  return ::fstatvfs(file_.fd(), &system) == 0 &&
         std::uint64_t{system.f_bavail} * system.f_frsize >= kRoomBytes;
}

namespace {

tl::expected<void, std::string> put_back(std::string_view name, int file, int data_file,
                                         const SyncedState& mark) {
  const std::string of = identity(mark);
  const std::uint64_t page_bytes = mark.state.trees[0].page_bytes;
  std::string bytes(kHeadBytes, '\0');
  std::string contents;
  for (std::uint64_t at = 0; read_all(file, bytes.data(), kHeadBytes, at);) {
    // An incomplete batch was not synced, nor any after it: LMDB overwrote none of its pages.
    const auto head = Head::decode(bytes);
    if (!head || head->of != of) break;
    if (*std::ranges::max_element(head->pages) > mark.state.last_page)
      return tl::unexpected("its file " + std::string(name) + " is damaged");
    contents.resize(head->pages.size() * page_bytes);
    if (!read_all(file, contents.data(), contents.size(), at + kHeadBytes)) break;
    if (libdeflate_crc32(0, contents.data(), contents.size()) != head->sum) break;
    std::string_view rest = contents;
    for (const std::uint64_t page : head->pages) {
      if (!write_all(data_file, rest.substr(0, page_bytes), page * page_bytes))
        return tl::unexpected("cannot put back what its file " + std::string(name) +
                              " has: " + errno_text());
      rest.remove_prefix(page_bytes);
    }
    at += kHeadBytes + contents.size();
  }
  return {};
}

}  // namespace

tl::expected<void, std::string> put_back_kept_pages(const std::filesystem::path& folder,
                                                    int data_file, const SyncedState& mark) {
  for (std::size_t i = 0; i < mark.kept_files; ++i) {
    const char* const name = kKeptFileNames.at(i);
    const Descriptor file(::open((folder / name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file) return tl::unexpected(cannot_open(name));
    if (auto done = put_back(name, file.fd(), data_file, mark); !done) return done;
  }
  if (::fdatasync(data_file) != 0)
    return tl::unexpected("cannot sync what was put back: " + errno_text());
  return {};
}

void remove_kept_pages(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const char* const name : kKeptFileNames) std::filesystem::remove(folder / name, ignored);
}

}  // namespace stator::storage

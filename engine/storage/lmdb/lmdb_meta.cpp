#include "engine/storage/lmdb/lmdb_meta.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace stator::storage {
namespace {

constexpr std::uint32_t kMagic = 0xBEEFC0DE;
constexpr std::uint32_t kVersion = 1;
constexpr std::uint16_t kMetaPageFlag = 0x08;
constexpr std::uint32_t kPageBytesMin = 512;
constexpr std::uint32_t kPageBytesMax = 64 * 1024;

bool is_sound(const MetaPage& page) {
  const std::uint32_t page_bytes = page.trees[0].page_bytes;
  return page.magic == kMagic && page.version == kVersion &&
         (page.page_flags & kMetaPageFlag) != 0 && page_bytes >= kPageBytesMin &&
         page_bytes <= kPageBytesMax && (page_bytes & (page_bytes - 1)) == 0;
}

tl::expected<MetaPage, std::string_view> read_meta_page(int data_file, std::uint64_t offset) {
  std::array<char, sizeof(MetaPage)> bytes{};
  const ssize_t length = ::pread(data_file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  if (length < 0) return tl::unexpected(std::string_view("its data.mdb cannot be read"));
  return meta_page_of({bytes.data(), static_cast<std::size_t>(length)});
}

}  // namespace

bool MetaPage::operator==(const MetaPage& other) const {
  return bytes_of(*this) == bytes_of(other);
}

std::string_view bytes_of(const MetaPage& page) {
  return {reinterpret_cast<const char*>(&page), sizeof page};
}

tl::expected<MetaPage, std::string_view> meta_page_of(std::string_view bytes) {
  MetaPage page{};
  if (bytes.size() == sizeof page) std::memcpy(&page, bytes.data(), sizeof page);
  if (!is_sound(page))
    return tl::unexpected(std::string_view("its data.mdb was not written by Stator or is damaged"));
  return page;
}

tl::expected<std::pair<MetaPage, MetaPage>, std::string_view> both_meta_pages(int data_file) {
  const auto first = read_meta_page(data_file, 0);
  if (!first) return tl::unexpected(first.error());
  const auto second = read_meta_page(data_file, first->trees[0].page_bytes);
  if (!second) return tl::unexpected(second.error());
  return std::pair(*first, *second);
}

tl::expected<MetaPage, std::string_view> newest_meta_page(int data_file) {
  const auto pages = both_meta_pages(data_file);
  if (!pages) return tl::unexpected(pages.error());
  return pages->second.transaction > pages->first.transaction ? pages->second : pages->first;
}

bool has_no_commit(int data_file) {
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::string bytes(2 * page_bytes + 1, '\0');
  const ssize_t length = ::pread(data_file, bytes.data(), bytes.size(), 0);
  if (length < 0 || length == static_cast<ssize_t>(bytes.size())) return false;
  const std::string_view read(bytes);
  for (const std::string_view page : {read.substr(0, page_bytes), read.substr(page_bytes)}) {
    if (page.find_first_not_of('\0') == std::string_view::npos) continue;
    const auto meta = meta_page_of(page.substr(0, sizeof(MetaPage)));
    if (!meta || meta->transaction != 0) return false;
  }
  return true;
}

int restore_meta_page(int data_file, MetaPage page) {
  for (const std::uint64_t number : {0U, 1U}) {
    page.number = number;
    const std::string_view bytes = bytes_of(page);
    const auto offset = static_cast<off_t>(number * page.trees[0].page_bytes);
    const ssize_t written = ::pwrite(data_file, bytes.data(), bytes.size(), offset);
    if (written < 0) return errno;
    if (static_cast<std::size_t>(written) != bytes.size()) return EIO;
  }
  return ::fdatasync(data_file) == 0 ? 0 : errno;
}

}  // namespace stator::storage

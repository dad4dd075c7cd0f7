#include "server/data/output_file.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace stator::data {

namespace {

constexpr unsigned kBufferBytes = 256 << 10;
// gzwrite() counts in int.
constexpr std::size_t kPieceBytesMax = std::size_t{64} << 20;

gzFile as_gz(void* file) { return static_cast<gzFile>(file); }

}  // namespace

void OutputFile::Closer::operator()(void* file) const { gzclose(as_gz(file)); }

tl::expected<OutputFile, std::string> OutputFile::create(const std::string& path) {
  OutputFile file;
  const char* const mode = path.ends_with(".gz") ? "wb6" : "wbT";  // T: as it is
  if (path == "-") {
    file.file_.reset(gzdopen(dup(STDOUT_FILENO), mode));
  } else {
    file.path_ = path;
    file.partial_ = path + ".partial";
    errno = 0;
    file.file_.reset(gzopen(file.partial_.c_str(), mode));
  }
  if (file.file_ == nullptr)
    return tl::unexpected(path + ": " + std::strerror(errno != 0 ? errno : ENOMEM));
  gzbuffer(as_gz(file.file_.get()), kBufferBytes);
  return file;
}

OutputFile::~OutputFile() {
  const bool is_open = file_ != nullptr;
  file_.reset();
  if (is_open && !partial_.empty()) std::remove(partial_.c_str());
}

void OutputFile::append(std::string_view bytes) {
  while (!bytes.empty() && error_.empty()) {
    const std::size_t count = std::min(bytes.size(), kPieceBytesMax);
    if (gzwrite(as_gz(file_.get()), bytes.data(), static_cast<unsigned>(count)) <= 0)
      error_ = std::strerror(errno);
    bytes.remove_prefix(count);
  }
}

std::string OutputFile::finish() {
  const int closed = gzclose(as_gz(file_.release()));
  if (error_.empty() && closed != Z_OK) error_ = std::strerror(errno);
  const bool is_moved =
      error_.empty() && (path_.empty() || std::rename(partial_.c_str(), path_.c_str()) == 0);
  if (is_moved) return {};
  if (error_.empty()) error_ = std::strerror(errno);
  if (!partial_.empty()) std::remove(partial_.c_str());
  return (path_.empty() ? "stdout" : path_) + ": " + error_;
}

}  // namespace stator::data

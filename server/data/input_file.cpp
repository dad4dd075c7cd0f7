#include "server/data/input_file.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace stator::data {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

gzFile as_gz(void* file) { return static_cast<gzFile>(file); }

}  // namespace

void InputFile::Closer::operator()(void* file) const { gzclose(as_gz(file)); }

tl::expected<InputFile, std::string> InputFile::open(const std::string& path) {
  InputFile input;
  input.path_ = path == "-" ? "stdin" : path;
  errno = 0;
  input.file_.reset(path == "-" ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path.c_str(), "rb"));
  struct stat status = {};
  const bool is_there = path == "-" || stat(path.c_str(), &status) == 0;
  if (is_there && S_ISDIR(status.st_mode)) return tl::unexpected(path + " is a folder");
  if (input.file_ == nullptr || !is_there) {
    return tl::unexpected(path + ": " + std::strerror(errno != 0 ? errno : ENOMEM));
  }
  gzbuffer(as_gz(input.file_.get()), kBlockBytes);
  if (S_ISREG(status.st_mode)) input.bytes_total_ = static_cast<std::uint64_t>(status.st_size);
  return input;
}

bool InputFile::fill() {
  if (!error_.empty()) return false;
  const auto left = static_cast<std::size_t>(end_ - next_);
  if (left != 0) std::memmove(buffer_.data(), next_, left);
  buffer_.resize(std::max(buffer_.size(), left + kBlockBytes));
  const int count = gzread(as_gz(file_.get()), buffer_.data() + left, kBlockBytes);
  next_ = buffer_.data();
  end_ = buffer_.data() + left + std::max(count, 0);
  int status = Z_OK;
  const char* const why = gzerror(as_gz(file_.get()), &status);
  if (count < 0 || status < 0) {
    error_ = path_ + ": " +
             (status == Z_BUF_ERROR ? "its gzip data are cut short"
              : status == Z_ERRNO   ? std::strerror(errno)
                                    : why);
  }
  return count > 0;
}

bool InputFile::take_line(std::string& line, bool& is_too_long) {
  is_too_long = false;
  if (peek() < 0) return false;
  for (;;) {
    const auto size = static_cast<std::size_t>(end_ - next_);
    const auto* const found = static_cast<const char*>(std::memchr(next_, '\n', size));
    const char* const stop = found != nullptr ? found : end_;
    const auto count = static_cast<std::size_t>(stop - next_);
    const std::size_t room = kRecordBytesMax - std::min(kRecordBytesMax, line.size());
    is_too_long = is_too_long || count > room;
    line.append(next_, std::min(count, room));
    next_ = stop;
    if (found != nullptr) {
      take();
      break;
    }
    if (!fill()) break;
  }
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

std::string_view InputFile::look_ahead(std::size_t bytes) {
  while (static_cast<std::size_t>(end_ - next_) < bytes && fill()) continue;
  return {next_, static_cast<std::size_t>(end_ - next_)};
}

std::uint64_t InputFile::bytes_read() const {
  const auto offset = gzoffset(as_gz(file_.get()));
  return offset > 0 && bytes_total_ != 0 ? static_cast<std::uint64_t>(offset) : 0;
}

void InputFile::skip_byte_order_mark() {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (look_ahead(kMark.size()).starts_with(kMark)) next_ += kMark.size();
}

}  // namespace stator::data

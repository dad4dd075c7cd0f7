#include "server/data/formats/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "server/data/transfer/interrupt.h"

namespace stator::data {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
constexpr std::string_view kNoUtf16 = "its UTF-16 is damaged";

// Owns an open file.
class FileSource final : public ByteSource {
 public:
  explicit FileSource(int fd) : fd_{fd} {}
  ~FileSource() override { ::close(fd_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(char* out, std::size_t size, std::string& why) override {
    if (!wait_readable(fd_)) {  // a pipe may deliver nothing for a long time
      why = "interrupted";
      return 0;
    }
    ssize_t count = -1;
    do {
      count = ::read(fd_, out, size);
    } while (count < 0 && errno == EINTR);
    if (count < 0) why = std::strerror(errno);
    return static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }

 private:
  const int fd_;
};

}  // namespace

InputFile::InputFile() = default;
InputFile::~InputFile() = default;
InputFile::InputFile(InputFile&& other) noexcept = default;

InputFile InputFile::of_source(std::unique_ptr<ByteSource> source, std::string path,
                               std::optional<Packing> packing) {
  InputFile input;
  input.path_ = std::move(path);
  input.source_ = std::make_unique<Unpacker>(std::move(source), packing);
  return input;
}

tl::expected<InputFile, std::string> InputFile::open(const std::string& path,
                                                     std::optional<Packing> packing) {
  const bool is_stdin = path == "-";
  const int fd = is_stdin ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                          : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string name = is_stdin ? "stdin" : path;
  if (fd < 0) return tl::unexpected(name + ": " + std::strerror(errno));
  return of(fd, std::move(name), packing);
}

tl::expected<InputFile, std::string> InputFile::of(int fd, std::string path,
                                                   std::optional<Packing> packing) {
  InputFile input = of_source(std::make_unique<FileSource>(fd), std::move(path), packing);
  struct stat status = {};
  if (::fstat(fd, &status) != 0) return tl::unexpected(input.path_ + ": " + std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return tl::unexpected(input.path_ + " is a folder");
  if (S_ISREG(status.st_mode)) input.bytes_total_ = static_cast<std::uint64_t>(status.st_size);
  return input;
}

bool InputFile::fill() {
  if (!error_.empty()) return false;
  if (is_interrupted()) {
    error_ = path_ + ": interrupted";
    return false;
  }
  const auto left = static_cast<std::size_t>(end_ - next_);
  if (left != 0) std::memmove(buffer_.data(), next_, left);
  if (decoder_) return fill_decoded(left);
  buffer_.resize(std::max(buffer_.size(), left + kBlockBytes));
  std::string why;
  const std::size_t count = source_->read(buffer_.data() + left, kBlockBytes, why);
  next_ = buffer_.data();
  end_ = buffer_.data() + left + count;
  if (!why.empty()) error_ = path_ + ": " + why;
  return count > 0;
}

// As fill(), after the first `left` bytes of the buffer.
bool InputFile::fill_decoded(std::size_t left) {
  std::string decoded;
  std::string why;
  while (decoded.empty() && why.empty()) {
    units_.resize(kBlockBytes);
    units_.resize(source_->read(units_.data(), kBlockBytes, why));
    const bool is_end = units_.empty();
    const bool is_decoded = decoder_->append(decoded, units_);
    if (!is_decoded || (is_end && why.empty() && !decoder_->is_complete())) why = kNoUtf16;
    if (is_end) break;
  }
  buffer_.resize(std::max(kBlockBytes, left + decoded.size()));
  std::memcpy(buffer_.data() + left, decoded.data(), decoded.size());
  next_ = buffer_.data();
  end_ = buffer_.data() + left + decoded.size();
  if (!why.empty()) error_ = path_ + ": " + why;
  return !decoded.empty();
}

void InputFile::decode_utf16(Utf16Decoder::Order order) {
  decoder_.emplace(order);
  std::string decoded;
  if (!decoder_->append(decoded, {next_, static_cast<std::size_t>(end_ - next_)}))
    error_ = path_ + ": " + std::string(kNoUtf16);
  buffer_ = std::move(decoded);
  const std::size_t size = buffer_.size();
  buffer_.resize(std::max(kBlockBytes, size));
  next_ = buffer_.data();
  end_ = buffer_.data() + size;
}

void InputFile::fail(std::string_view why) {
  if (error_.empty()) error_ = path_ + " line " + std::to_string(line_) + ": " + std::string(why);
  next_ = end_;
}

bool InputFile::take_line(std::string& line) {
  if (peek() < 0) return false;
  for (;;) {
    const auto size = static_cast<std::size_t>(end_ - next_);
    const auto* const found = static_cast<const char*>(std::memchr(next_, '\n', size));
    const char* const stop = found != nullptr ? found : end_;
    const auto count = static_cast<std::size_t>(stop - next_);
    if (line.size() + count > kRecordBytesMax) {
      fail(kTooLong);
      return false;
    }
    line.append(next_, count);
    next_ = stop;
    if (found != nullptr) {
      take();
      break;
    }
    if (!fill()) break;
  }
  if (!error_.empty()) return false;  // it is cut
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

std::string_view InputFile::take_block() {
  if (peek() < 0) return {};
  const auto count = static_cast<std::size_t>(end_ - next_);
  return {std::exchange(next_, end_), count};
}

std::string_view InputFile::look_ahead(std::size_t bytes) {
  while (static_cast<std::size_t>(end_ - next_) < bytes && fill()) continue;
  return {next_, static_cast<std::size_t>(end_ - next_)};
}

std::uint64_t InputFile::bytes_read() const {
  return bytes_total_ != 0 ? source_->bytes_read() : 0;
}

tl::expected<std::string, std::string> read_file(const std::string& path) {
  auto file = InputFile::open(path);
  if (!file) return tl::unexpected(std::move(file).error());
  file->skip_byte_order_mark();
  std::string text;
  for (auto block = file->take_block(); !block.empty(); block = file->take_block()) {
    text += block;
    if (text.size() > kRecordBytesMax) return tl::unexpected(path + " is longer than 16 MiB");
  }
  if (!file->error().empty()) return tl::unexpected(file->error());
  return text;
}

void InputFile::skip_byte_order_mark() {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (look_ahead(kMark.size()).starts_with(kMark)) next_ += kMark.size();
}

}  // namespace stator::data

#include "server/data/formats/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "engine/data_folder/unnamed_file.h"

namespace stator::data {

namespace {

// Written together.
constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
constexpr mode_t kMode = 0666;  // less the umask

std::string errno_text(int code) { return std::strerror(code != 0 ? code : ENOMEM); }

}  // namespace

tl::expected<OutputFile, std::string> OutputFile::create(const std::string& path, Packing packing) {
  OutputFile file;
  errno = 0;
  if (path == "-") {
    file.fd_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  } else {
    file.path_ = path;
    file.partial_ = path + ".partial";
    file.fd_ = open_unnamed_file(std::filesystem::path(path).parent_path(), kMode);
    file.is_named_ = file.fd_ < 0;
    if (file.is_named_) {
      file.fd_ = ::open(file.partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
    }
  }
  if (file.fd_ < 0) return tl::unexpected(path + ": " + errno_text(errno));
  file.packer_ = make_packer(packing);
  return file;
}

OutputFile::~OutputFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (is_named_) std::remove(partial_.c_str());
}

bool OutputFile::take(std::string_view packed) {
  block_ += packed;
  return block_.size() < kBlockBytes || flush();
}

bool OutputFile::flush() {
  std::string_view rest = block_;
  while (!rest.empty() && why_.empty()) {
    const ssize_t count = ::write(fd_, rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      why_ = errno_text(errno);
    }
  }
  block_.clear();
  return why_.empty();
}

bool OutputFile::append(std::string_view bytes) {
  if (why_.empty()) packer_->add(bytes, [this](std::string_view packed) { return take(packed); });
  return why_.empty();
}

int OutputFile::put_in_place() {
  if (path_.empty()) return 0;
  if (::fsync(fd_) != 0) return errno;
  if (!is_named_) {
    if (const int failed = name_file(fd_, partial_); failed != 0) return failed;
    is_named_ = true;
  }
  if (std::rename(partial_.c_str(), path_.c_str()) != 0) return errno;
  is_named_ = false;
  return 0;
}

std::string OutputFile::finish() {
  if (why_.empty()) {
    packer_->finish([this](std::string_view packed) { return take(packed); });
    flush();
  }
  if (why_.empty()) {
    if (const int failed = put_in_place(); failed != 0) why_ = errno_text(failed);
  }
  return error();
}

std::string OutputFile::error() const {
  return why_.empty() ? std::string() : (path_.empty() ? "stdout" : path_) + ": " + why_;
}

std::string write_file(const std::string& path, std::string_view text) {
  auto file = OutputFile::create(path);
  if (!file) return file.error();
  file->append(text);
  return file->finish();
}

}  // namespace stator::data

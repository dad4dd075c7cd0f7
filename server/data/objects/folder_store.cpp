#include "server/data/objects/folder_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "engine/data_folder/unnamed_file.h"
#include "server/data/objects/s3_failure.h"

namespace stator::data {

namespace {

namespace fs = std::filesystem;

constexpr mode_t kFileMode = 0666;  // less the umask
constexpr mode_t kFolderMode = 0777;
constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
// Where the file system has no files without a name.
constexpr std::string_view kPartialSuffix = ".stator-partial";

// A descriptor that its owner closes.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_{fd} {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  Fd(Fd&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

StoreFailure failure_of(int error, std::string_view what) {
  if (error == EACCES || error == EPERM || error == EROFS)
    return s3_failure({403, "AccessDenied", "Access Denied"});
  if (error == ENOENT) return s3_failure(kNoSuchKey);
  if (error == ELOOP || error == ENOTDIR)
    return {"S3AccessDenied",
            std::string(what) + ": a part of it is no folder, or a symbolic link"};
  return {"InternalServerError", std::string(what) + ": " + std::strerror(error)};
}

// Of a write, which makes the folders below the bucket: one that is missing was there a moment ago,
// so the bucket is being removed.
StoreFailure write_failure_of(int error, std::string_view what) {
  return error == ENOENT ? s3_failure(kNoSuchBucket) : failure_of(error, what);
}

// The parts between slashes; empty: a part is no name of a file.
std::vector<std::string> parts_of(std::string_view key) {
  std::vector<std::string> parts;
  for (std::string_view rest = key;;) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos)
      return {};
    parts.emplace_back(part);
    if (slash == rest.size()) return parts;
    rest.remove_prefix(slash + 1);
  }
}

Fd open_folder(int at, const std::string& name) {
  return Fd{::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
}

// The path by which functions that take one reach an open folder.
fs::path path_of(const Fd& folder) { return "/proc/self/fd/" + std::to_string(folder.get()); }

class FileWriter final : public ObjectWriter {
 public:
  FileWriter(Fd folder, std::string name, std::string key)
      : folder_{std::move(folder)}, name_{std::move(name)}, key_{std::move(key)} {}
  ~FileWriter() override {
    if (is_partial_) ::unlinkat(folder_.get(), partial().c_str(), 0);
  }
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  StoreResult open() {
    file_ = Fd{open_unnamed_file(path_of(folder_), kFileMode)};
    if (!file_) {
      constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
      file_ = Fd{::openat(folder_.get(), partial().c_str(), kFlags, kFileMode)};
      is_partial_ = static_cast<bool>(file_);
    }
    return file_ ? StoreResult() : tl::unexpected(write_failure_of(errno, key_));
  }

  StoreResult append(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return tl::unexpected(failure_of(errno, key_));
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }

  StoreResult finish() override {
    if (!is_partial_) {
      const int failed = name_file(file_.get(), path_of(folder_) / name_);
      return failed == 0 ? StoreResult() : tl::unexpected(write_failure_of(failed, key_));
    }
    if (::renameat(folder_.get(), partial().c_str(), folder_.get(), name_.c_str()) != 0)
      return tl::unexpected(write_failure_of(errno, key_));
    is_partial_ = false;
    return {};
  }

 private:
  std::string partial() const { return name_ + std::string(kPartialSuffix); }

  Fd folder_;
  std::string name_;
  std::string key_;
  Fd file_;
  bool is_partial_ = false;
};

class FileReader final : public ObjectReader {
 public:
  FileReader(Fd file, std::string key) : file_{std::move(file)}, key_{std::move(key)} {}

  tl::expected<std::string_view, StoreFailure> next() override {
    block_.resize(kBlockBytes);
    for (;;) {
      const ssize_t size = ::read(file_.get(), block_.data(), block_.size());
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return tl::unexpected(failure_of(errno, key_));
      return std::string_view(block_).substr(0, static_cast<std::size_t>(size));
    }
  }

 private:
  Fd file_;
  std::string key_;
  std::string block_;
};

class FolderStore final : public ObjectStore {
 public:
  explicit FolderStore(fs::path root) : root_{std::move(root)} {}

  // No bucket of a user has such a name; the folder is made when it is needed.
  std::string_view logs_bucket() const override { return "_logs"; }

  std::string where(std::string_view bucket) const override { return (root_ / bucket).string(); }

  StoreResult check_bucket(std::string_view bucket) override {
    return open_bucket(bucket).map([](const Fd&) {});
  }

  tl::expected<std::unique_ptr<ObjectWriter>, StoreFailure> create(std::string_view bucket,
                                                                   std::string_view key) override {
    auto place = find_place(bucket, key, /*makes_folders=*/true);
    if (!place) return tl::unexpected(std::move(place).error());
    auto writer = std::make_unique<FileWriter>(std::move(place->folder), std::move(place->name),
                                               std::string(key));
    if (auto opened = writer->open(); !opened) return tl::unexpected(std::move(opened).error());
    return std::unique_ptr<ObjectWriter>(std::move(writer));
  }

  tl::expected<std::unique_ptr<ObjectReader>, StoreFailure> open(std::string_view bucket,
                                                                 std::string_view key) override {
    auto place = find_place(bucket, key, /*makes_folders=*/false);
    if (!place) return tl::unexpected(std::move(place).error());
    Fd file{::openat(place->folder.get(), place->name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
    if (!file) return tl::unexpected(failure_of(errno, key));
    return std::make_unique<FileReader>(std::move(file), std::string(key));
  }

  tl::expected<std::uint64_t, StoreFailure> size_bytes(std::string_view bucket,
                                                       std::string_view key) override {
    auto place = find_place(bucket, key, /*makes_folders=*/false);
    if (!place) return tl::unexpected(std::move(place).error());
    struct stat status = {};
    if (::fstatat(place->folder.get(), place->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      return tl::unexpected(failure_of(errno, key));
    return static_cast<std::uint64_t>(status.st_size);
  }

  StoreResult list(std::string_view bucket, std::string_view prefix,
                   const VisitKey& visit) override {
    auto folder = open_bucket(bucket);
    if (!folder) return tl::unexpected(std::move(folder).error());
    std::vector<std::string> keys;
    std::error_code error;
    const fs::path top = path_of(*folder);
    for (fs::recursive_directory_iterator next{top, error}, end; !error && next != end;
         next.increment(error)) {
      if (next->is_symlink(error) || !next->is_regular_file(error)) continue;
      std::string key = next->path().lexically_relative(top).generic_string();
      if (key.starts_with(prefix) && !key.ends_with(kPartialSuffix)) keys.push_back(std::move(key));
    }
    if (error) return tl::unexpected(failure_of(error.value(), bucket));
    std::sort(keys.begin(), keys.end());
    for (const std::string& key : keys) {
      if (!visit(key)) break;
    }
    return {};
  }

 private:
  // The folder that has an object, and the object's name in it.
  struct Place {
    Fd folder;
    std::string name;
  };

  tl::expected<Fd, StoreFailure> open_bucket(std::string_view bucket) const {
    const std::vector<std::string> parts = parts_of(bucket);
    if (parts.size() != 1) return tl::unexpected(s3_failure(kNoSuchBucket));
    const Fd root{::open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    Fd folder = root ? open_folder(root.get(), parts.front()) : Fd{};
    if (folder) return folder;
    return tl::unexpected(errno == ENOENT ? s3_failure(kNoSuchBucket) : failure_of(errno, bucket));
  }

  tl::expected<Place, StoreFailure> find_place(std::string_view bucket, std::string_view key,
                                               bool makes_folders) const {
    std::vector<std::string> parts = parts_of(key);
    if (parts.empty()) {
      return tl::unexpected(
          StoreFailure{"S3AccessDenied",
                       "the key '" + std::string(key) +
                           "' is no path below a bucket's folder: it has an empty part, . or .."});
    }
    if (makes_folders && bucket == logs_bucket()) ::mkdir((root_ / bucket).c_str(), kFolderMode);
    auto folder = open_bucket(bucket);
    if (!folder) return tl::unexpected(std::move(folder).error());
    std::string name = std::move(parts.back());
    parts.pop_back();
    const auto failure = makes_folders ? write_failure_of : failure_of;
    for (const std::string& part : parts) {
      if (makes_folders && ::mkdirat(folder->get(), part.c_str(), kFolderMode) != 0 &&
          errno != EEXIST)
        return tl::unexpected(failure(errno, key));
      Fd next = open_folder(folder->get(), part);
      if (!next) return tl::unexpected(failure(errno, key));
      *folder = std::move(next);
    }
    return Place{*std::move(folder), std::move(name)};
  }

  const fs::path root_;
};

class MissingStore final : public ObjectStore {
 public:
  std::string_view logs_bucket() const override { return "_logs"; }
  std::string where(std::string_view bucket) const override { return std::string(bucket); }
  StoreResult check_bucket(std::string_view /*bucket*/) override {
    return tl::unexpected(failure());
  }
  tl::expected<std::unique_ptr<ObjectWriter>, StoreFailure> create(
      std::string_view /*bucket*/, std::string_view /*key*/) override {
    return tl::unexpected(failure());
  }
  tl::expected<std::unique_ptr<ObjectReader>, StoreFailure> open(
      std::string_view /*bucket*/, std::string_view /*key*/) override {
    return tl::unexpected(failure());
  }
  StoreResult list(std::string_view /*bucket*/, std::string_view /*prefix*/,
                   const VisitKey& /*visit*/) override {
    return tl::unexpected(failure());
  }

 private:
  static StoreFailure failure() {
    return {
        "S3NoSuchBucket",
        "This server has no buckets: start it with --s3-root DIR, whose folders are the buckets, "
        "with --db-path DIR for DIR/s3, or with --s3-endpoint URL of a server of S3"};
  }
};

}  // namespace

std::unique_ptr<ObjectStore> make_folder_store(const fs::path& root) {
  return std::make_unique<FolderStore>(root);
}

std::unique_ptr<ObjectStore> make_missing_store() { return std::make_unique<MissingStore>(); }

}  // namespace stator::data

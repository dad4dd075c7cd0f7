#include "engine/data_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include "engine/data_check.h"
#include "engine/storage/damage.h"
#include "engine/storage/data_home.h"
#include "engine/storage/environment.h"

namespace stator {
namespace {

std::string errno_text() { return std::generic_category().message(errno); }

// Removed with all that is in it, unless it was kept.
class NewFolder {
 public:
  NewFolder() = default;
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  // Beside `target`; nobody else may look into it. 0 or an errno.
  int make_beside(const std::filesystem::path& target) {
    std::string name = target.string() + ".partial-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) return errno;
    path_ = name;
    return 0;
  }
  // Becomes `target`, which is not there or empty. 0 or an errno.
  int keep_as(const std::filesystem::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0) return errno;
    path_.clear();
    return 0;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

tl::expected<void, std::string> copy_into(const storage::Environment& data,
                                          const std::filesystem::path& folder) {
  const auto path = folder / "data.mdb";
  const storage::Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return tl::unexpected(errno_text());
  if (auto copied = data.copy_to(file.fd()); !copied) return copied;
  if (::fsync(file.fd()) != 0) return tl::unexpected(errno_text());
  return {};
}

}  // namespace

tl::expected<DataReport, std::string> check_data_folder(const std::filesystem::path& folder) {
  try {
    auto data = storage::Environment::open_to_read(folder);
    if (!data) return tl::unexpected(std::move(data).error());
    DataReport report;
    if (auto checked = check_data(**data, report); !checked)
      report.findings.push_back(checked.error().message());
    return report;
  } catch (const storage::DamagedData& damage) {
    return tl::unexpected("cannot read the data folder " + folder.string() + ": " + damage.what());
  }
}

tl::expected<void, std::string> back_up_data_folder(const std::filesystem::path& source,
                                                    const std::filesystem::path& target) {
  const auto failed = [&](const std::string& why) {
    return tl::unexpected("cannot make the backup " + target.string() + ": " + why);
  };
  std::error_code failure;
  const auto absolute = std::filesystem::absolute(target, failure).lexically_normal();
  const auto named = absolute.has_filename() ? absolute : absolute.parent_path();
  if (std::filesystem::exists(named, failure) && !std::filesystem::is_empty(named, failure))
    return failed("it exists and is not an empty folder");
  try {
    const auto data = storage::Environment::open_to_read(source);
    if (!data) return tl::unexpected(data.error());
    NewFolder made;
    if (made.make_beside(named) != 0) return failed(errno_text());
    if (auto copied = copy_into(**data, made.path()); !copied) return failed(copied.error());
    if (auto synced = storage::sync_folder_entries(made.path()); !synced)
      return failed(synced.error());
    if (made.keep_as(named) != 0) return failed(errno_text());
    if (auto synced = storage::sync_folder_entries(named); !synced) return failed(synced.error());
  } catch (const storage::DamagedData& damage) {
    return failed(damage.what());
  }
  return {};
}

}  // namespace stator

// What the storage tests share: a folder that goes away, opened environments, unwrapped results.
#pragma once

#include <stdlib.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "engine/storage/environment/environment.h"
#include "engine/storage/environment/transaction.h"
#include "engine/storage/migration/open_store.h"
#include "protocol/errors/result.h"

namespace stator::storage {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "storage-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline EnvironmentOptions in_memory(std::size_t map_bytes_max = std::size_t{1} << 40) {
  EnvironmentOptions options;
  options.map_bytes_max = map_bytes_max;
  return options;
}

inline EnvironmentOptions on_disk(const std::filesystem::path& folder, Sync sync = Sync::Lazy,
                                  std::size_t map_bytes_max = std::size_t{1} << 40) {
  EnvironmentOptions options;
  options.folder = folder;
  options.sync = sync;
  options.map_bytes_max = map_bytes_max;
  return options;
}

// Opens, or throws what a user would read.
inline std::unique_ptr<Environment> open_or_throw(const EnvironmentOptions& options) {
  auto environment = open_store(options);
  if (!environment) throw std::runtime_error(environment.error());
  return *std::move(environment);
}

// The value of a result that must not fail.
template <class T>
T unwrap(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return *std::move(result);
}
inline void unwrap(const Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message());
}

}  // namespace stator::storage

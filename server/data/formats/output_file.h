// OutputFile: a file that appears complete or not at all, or stdout; packed if its name says so.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "server/data/packing/packer.h"

namespace stator::data {

class OutputFile {
 public:
  // "-" means stdout. Until finish() the file has no name, or the ending .partial if the file
  // system needs a name. The error is for people.
  static tl::expected<OutputFile, std::string> create(const std::string& path, Packing packing);
  static tl::expected<OutputFile, std::string> create(const std::string& path) {
    return create(path, packing_of_name(path));
  }
  // Removes an unfinished file.
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept
      : path_{std::move(other.path_)},
        partial_{std::move(other.partial_)},
        is_named_{other.is_named_},
        fd_{std::exchange(other.fd_, -1)},
        packer_{std::move(other.packer_)},
        block_{std::move(other.block_)},
        why_{std::move(other.why_)} {}
  OutputFile& operator=(OutputFile&&) = delete;

  // Returns false on an error, see error(); finish() returns it too.
  bool append(std::string_view bytes);
  // The error for people; empty if none.
  std::string error() const;
  // Puts the file in place and on the disk. Returns an error for people; empty if none.
  std::string finish();

 private:
  OutputFile() = default;
  // Return false on an error.
  bool take(std::string_view packed);
  bool flush();
  // Returns 0 or an errno.
  int put_in_place();

  std::string path_;     // empty for stdout
  std::string partial_;  // empty for stdout
  bool is_named_ = false;
  int fd_ = -1;
  std::unique_ptr<Packer> packer_;
  std::string block_;  // packed bytes to write
  std::string why_;    // it cannot be written
};

// Writes a small file. Returns an error for people; empty if none.
std::string write_file(const std::string& path, std::string_view text);

}  // namespace stator::data

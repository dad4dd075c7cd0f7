// Reads access files (docs/access.md).
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/access/principals/directory.h"

namespace stator::access {

// The largest access file.
inline constexpr std::size_t kAccessFileBytesMax = std::size_t{4} << 20;

// Reads the text of an access file. The error is one line that names the member, or the line of
// broken JSON; it never has the value of a secret.
tl::expected<Directory, std::string> read_directory(std::string text);

// Reads the file too. Refuses one that others than its owner may read, unless `is_insecure`.
tl::expected<Directory, std::string> read_directory_file(const std::string& path, bool is_insecure);

}  // namespace stator::access

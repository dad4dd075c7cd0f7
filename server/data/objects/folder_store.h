// FolderStore: buckets as folders below a root. The object KEY of a bucket is the file
// ROOT/BUCKET/KEY. A bucket exists if its folder does; folders below it are made as keys need them.
//
// Nothing outside of the root is touched: keys with empty parts, `.` or `..` are refused, and so
// are symbolic links on the way.
#pragma once

#include <filesystem>
#include <memory>

#include "server/data/objects/object_store.h"

namespace stator::data {

std::unique_ptr<ObjectStore> make_folder_store(const std::filesystem::path& root);

// For a server without a root: it has no bucket, and says how to get one.
std::unique_ptr<ObjectStore> make_missing_store();

}  // namespace stator::data

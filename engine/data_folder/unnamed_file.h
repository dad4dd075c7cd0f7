// Files that get a name only when complete, so that a killed process leaves nothing of them.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace stator {

// Creates a file without a name on the folder's file system. Returns its descriptor, which the
// caller closes. Or -1: the file system has no such files, or errno says what is wrong with the
// folder.
int open_unnamed_file(const std::filesystem::path& folder, mode_t mode);

// Gives an unnamed file a name in its file system, replacing an existing file. Returns 0 or an
// errno.
int name_file(int fd, const std::filesystem::path& path);

}  // namespace stator

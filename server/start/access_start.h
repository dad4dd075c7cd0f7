// Access control of a process: made when it starts, and its report when it ends.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "server/access/access_control.h"
#include "server/options/options.h"

namespace stator {

class Engine;
class Shutdown;

// The content of --access-file; empty without one. The error is one line. The account of the tables
// becomes the file's, unless the user says another one.
tl::expected<access::Directory, std::string> read_access_file(Options& options);

// Returns nullptr if neither --auth nor --access-report asks for it. The references must outlive
// it.
std::unique_ptr<access::AccessControl> make_access(const Options& options,
                                                   access::Directory directory,
                                                   const Engine& engine, Shutdown& shutdown);

// Writes the file of --access-report, if there is to be one. Returns the exit status of a process
// that would otherwise end with `status`.
int reported(int status, const Options& options, const access::AccessControl* access);

}  // namespace stator

#include "engine/storage/durability/descriptor.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace stator::storage {

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

std::string errno_text(int code) { return std::generic_category().message(code); }
std::string errno_text() { return errno_text(errno); }

}  // namespace stator::storage

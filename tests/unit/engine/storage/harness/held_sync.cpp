#include "tests/unit/engine/storage/harness/held_sync.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

namespace stator::storage {
namespace {

bool is_data_file(int file) {
  std::error_code failure;
  const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), failure);
  return !failure && path.filename() == "data.mdb";
}

}  // namespace

std::atomic<HeldSync*> next_held_sync{nullptr};

}  // namespace stator::storage

// Called instead of the C library's, by LMDB too.
extern "C" int fdatasync(int file) {
  using namespace stator::storage;
  if (next_held_sync != nullptr && is_data_file(file)) {
    if (HeldSync* const held = next_held_sync.exchange(nullptr); held != nullptr) {
      held->entered.set_value();
      held->let_go.get_future().wait();
    }
  }
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

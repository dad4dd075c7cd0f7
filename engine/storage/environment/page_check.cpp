// Checks that a store's trees match LMDB's own records of them, for `stator check`.
#include <lmdb.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/storage/environment/environment_impl.h"
#include "engine/storage/lmdb/lmdb_handle.h"
#include "engine/storage/lmdb/lmdb_meta.h"
#include "engine/storage/lmdb/tree_check.h"

namespace stator::storage {
namespace {

constexpr std::size_t kFindingsMax = 100;
constexpr int kAttemptsMax = 1000;

struct Abort {
  void operator()(MDB_txn* txn) const { mdb_txn_abort(txn); }
};

}  // namespace

Result<void> Environment::check_pages(std::vector<std::string>& findings) const {
  const auto handle = impl_->handle();
  mdb_filehandle_t file{};
  if (const int code = mdb_env_get_fd(handle->env(), &file); code != MDB_SUCCESS)
    return lmdb_error("read its file", code);
  // If a server is writing, the meta page may be overwritten between the two reads.
  for (int i = 0; i < kAttemptsMax; ++i) {
    MDB_txn* txn = nullptr;
    const int code = mdb_txn_begin(handle->env(), nullptr, MDB_RDONLY, &txn);
    if (code != MDB_SUCCESS) return lmdb_error("begin to read", code);
    const std::unique_ptr<MDB_txn, Abort> pin(txn);
    const auto state = newest_meta_page(file);
    if (!state || state->transaction != mdb_txn_id(txn)) continue;
    check_trees(file, *state, CheckDepth::All, kFindingsMax, findings);
    return {};
  }
  return Error(ErrorCode::InternalServerError, "storage: the meta pages cannot be read");
}

}  // namespace stator::storage

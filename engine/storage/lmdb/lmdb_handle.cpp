#include "engine/storage/lmdb/lmdb_handle.h"

#include <algorithm>
#include <cerrno>

#include "engine/storage/bytes/damage.h"

namespace stator::storage {
namespace {

constexpr unsigned kReadersMax = 512;
constexpr std::size_t kMapBytesMin = std::size_t{64} << 20;
constexpr std::size_t kMapBytesStep = 64 * 1024;  // a multiple of every page size in use

// Called when LMDB finds bytes that are no pages of its own. Throws instead of the default abort,
// which is safe: LMDB's functions hold only the writer's lock then, which the transaction releases
// (WriteTransaction::commit() has the one exception).
void assertion_failed(MDB_env*, const char* what) { throw DamagedData(what); }

// One attempt: a failed MDB_env cannot be opened again.
tl::expected<MDB_env*, int> open_once(const std::filesystem::path& folder, unsigned flags,
                                      std::size_t map_bytes) {
  MDB_env* env = nullptr;
  if (const int code = mdb_env_create(&env); code != MDB_SUCCESS) return tl::unexpected(code);
  int code = mdb_env_set_maxdbs(env, static_cast<MDB_dbi>(kDatabaseCount + 1));
  if (code == MDB_SUCCESS) code = mdb_env_set_assert(env, assertion_failed);
  if (code == MDB_SUCCESS) code = mdb_env_set_maxreaders(env, kReadersMax);
  if (code == MDB_SUCCESS) code = mdb_env_set_mapsize(env, map_bytes);
  if (code == MDB_SUCCESS) code = mdb_env_open(env, folder.c_str(), flags, 0600);
  if (code == MDB_SUCCESS) return env;
  mdb_env_close(env);
  return tl::unexpected(code);
}

// Too little address space, or (writable maps) a limit on file sizes.
bool may_fit_when_smaller(int code) { return code == ENOMEM || code == EFBIG || code == EINVAL; }

}  // namespace

std::string lmdb_error_text(int code) { return mdb_strerror(code); }

Error lmdb_error(std::string_view action, int code) {
  std::string message = "storage: cannot ";
  message += action;
  message += ": ";
  message += lmdb_error_text(code);
  return Error(ErrorCode::InternalServerError, std::move(message));
}

std::size_t LmdbHandle::map_bytes() const {
  MDB_envinfo info{};
  mdb_env_info(env_, &info);
  return info.me_mapsize;
}

std::size_t LmdbHandle::page_bytes() const {
  MDB_stat stat{};
  mdb_env_stat(env_, &stat);
  return stat.ms_psize;
}

std::size_t LmdbHandle::used_bytes() const {
  MDB_envinfo info{};
  mdb_env_info(env_, &info);
  return (info.me_last_pgno + 1) * page_bytes();
}

tl::expected<std::shared_ptr<LmdbHandle>, int> LmdbHandle::open(const std::filesystem::path& folder,
                                                                unsigned flags,
                                                                std::size_t map_bytes_max) {
  std::size_t map_bytes = std::max(map_bytes_max, 4 * kMapBytesStep);
  for (;;) {
    map_bytes -= map_bytes % kMapBytesStep;
    const auto env = open_once(folder, flags, map_bytes);
    if (env) {
      if (mdb_env_get_maxkeysize(*env) >= static_cast<int>(kLmdbKeyBytesMax)) {
        return std::make_shared<LmdbHandle>(*env);
      }
      mdb_env_close(*env);
      return tl::unexpected(MDB_BAD_VALSIZE);
    }
    if (!may_fit_when_smaller(env.error()) || map_bytes / 2 < kMapBytesMin) {
      return tl::unexpected(env.error());
    }
    map_bytes /= 2;
  }
}

}  // namespace stator::storage

// What Environment is made of. Internal to this folder: transactions need it too.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/storage/data_home.h"
#include "engine/storage/environment.h"
#include "engine/storage/lmdb_handle.h"

namespace stator::storage {

struct Environment::Impl {
  EnvironmentOptions options;
  unsigned lmdb_flags = 0;
  Descriptor folder_lock;  // on disk: held as long as the environment is open

  // The handle for new transactions.
  std::shared_ptr<LmdbHandle> handle() const;

  // The handle to use instead of `failed`, which LMDB declared unusable: another thread's
  // replacement, or a new one. Empty when it cannot be opened (again).
  std::shared_ptr<LmdbHandle> replace(const std::shared_ptr<LmdbHandle>& failed);

  // Whether a snapshot is still in use on a replaced handle. Its reader table is another one, so a
  // writer does not see that reader and would reuse its pages.
  bool has_readers_on_replaced_handles();

  // Thread sanitizer cannot look into LMDB. This tells it what LMDB guarantees: a snapshot happens
  // after the commits it sees, and pages are used again only after the snapshots that need them.
  void tell_thread_sanitizer() {
#if defined(__SANITIZE_THREAD__)
    transaction_order.fetch_add(1, std::memory_order_acq_rel);
#endif
  }

 private:
  friend class Environment;
  mutable std::mutex mutex;
  std::shared_ptr<LmdbHandle> current;
  std::vector<std::weak_ptr<LmdbHandle>> replaced;
#if defined(__SANITIZE_THREAD__)
  std::atomic<std::uint64_t> transaction_order{0};
#endif
};

}  // namespace stator::storage

#include "engine/storage/environment/environment.h"

#include <fcntl.h>
#include <lmdb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/storage/bytes/format.h"
#include "engine/storage/bytes/migration_position.h"
#include "engine/storage/durability/data_home.h"
#include "engine/storage/environment/environment_impl.h"
#include "engine/storage/keys/keys.h"
#include "engine/storage/lmdb/lmdb_handle.h"

namespace stator::storage {
namespace {

// Names of the databases in data.mdb, in the order of the enum. Persisted: never change, only
// append. The last one is from version 2.
constexpr std::array<const char*, kDatabaseCount + 1> kDatabaseNames = {
    "meta",    "tables",    "items",   "nodes",     "stats",        "collections", "purges",
    "journal", "consumers", "streams", "expiries",  "tokens",       "token-times", "throughput",
    "marks",   "undo",      "backups", "documents", "index-changes"};

constexpr std::uint32_t kNoVersion = 0;  // for data being created

// The first version whose data has the database.
std::uint32_t first_version_of(std::size_t number) {
  const auto database = static_cast<Database>(number);
  if (database < Database::Journal) return kOldestFormatVersion;
  if (database < Database::Streams) return 3;
  if (database < Database::Tokens) return 4;
  if (database < Database::Throughput) return 5;
  if (database < Database::Marks) return 6;
  if (database < Database::Backups) return 7;
  return database < Database::Documents ? 9 : 10;
}

unsigned flags_for(const EnvironmentOptions& options) {
  // MDB_NOTLS: a reader belongs to its ReadTransaction, not to its thread, which may also lead a
  // batch.
  if (!options.folder) return MDB_NOTLS | MDB_NOSYNC | MDB_WRITEMAP | MDB_NOMEMINIT;
  return options.sync == Sync::Lazy ? MDB_NOTLS | MDB_NOSYNC : MDB_NOTLS;
}

// The meaning of an LMDB code at opening, for the user.
std::string opening_failure(int code) {
  switch (code) {
    case MDB_INVALID:
    case MDB_VERSION_MISMATCH:
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INCOMPATIBLE:
    case MDB_DBS_FULL:
      return "its data.mdb was not written by Stator or is damaged";
    case MDB_MAP_FULL:
    case ENOSPC:
      return "there is no space left for its data";
    case ENOMEM:
      return "there is not enough address space to map its data";
    default:
      return lmdb_error_text(code);
  }
}

// Owns a transaction while databases are opened; aborts unless committed.
class OpeningTransaction {
 public:
  OpeningTransaction() = default;
  OpeningTransaction(const OpeningTransaction&) = delete;
  OpeningTransaction& operator=(const OpeningTransaction&) = delete;
  ~OpeningTransaction() {
    if (txn_ != nullptr) mdb_txn_abort(txn_);
  }
  int begin(MDB_env* env) { return mdb_txn_begin(env, nullptr, 0, &txn_); }
  int commit() { return mdb_txn_commit(std::exchange(txn_, nullptr)); }
  MDB_txn* get() const { return txn_; }

 private:
  MDB_txn* txn_ = nullptr;
};

int put_meta(MDB_txn* txn, MetaKey name, std::string_view bytes) {
  MDB_val key = to_lmdb(encode(name));
  MDB_val value = to_lmdb(bytes);
  return mdb_put(txn, dbi_of(Database::Meta), &key, &value, 0);
}

// The version of the data, or why it is rejected.
tl::expected<std::uint32_t, std::string> stored_version(MDB_txn* txn) {
  MDB_val key = to_lmdb(encode(MetaKey::Format));
  MDB_val value{};
  const int code = mdb_get(txn, dbi_of(Database::Meta), &key, &value);
  if (code == MDB_NOTFOUND) return tl::unexpected(opening_failure(MDB_INVALID));
  if (code != MDB_SUCCESS) return tl::unexpected(opening_failure(code));
  const auto version = decode_format(from_lmdb(value));
  if (!version) return tl::unexpected(opening_failure(MDB_INVALID));
  if (*version < kOldestFormatVersion || *version > kFormatVersion) {
    return tl::unexpected("its format version is " + std::to_string(*version) +
                          ", this program reads version " + std::to_string(kFormatVersion));
  }
  return *version;
}

bool is_migrating(MDB_txn* txn) {
  MDB_val key = to_lmdb(encode(MetaKey::Migration));
  MDB_val value{};
  return mdb_get(txn, dbi_of(Database::Meta), &key, &value) == MDB_SUCCESS;
}

// Stores our version in data that is new or older. If records must be rewritten, starts a migration
// or continues the current one.
int begin_version(MDB_txn* txn, std::uint32_t version) {
  if (version == kFormatVersion) return MDB_SUCCESS;
  const int code = put_meta(txn, MetaKey::Format, encode_format(kFormatVersion));
  const bool is_rewritten = version == kOldestFormatVersion;
  if (code != MDB_SUCCESS || !is_rewritten) return code;
  return put_meta(txn, MetaKey::Migration, MigrationPosition{.from = version}.encode());
}

// Opens one database. Its LMDB number follows from the order of opening.
tl::expected<void, std::string> open_database(MDB_txn* txn, std::size_t number, unsigned flags) {
  MDB_dbi dbi{};
  const int code = mdb_dbi_open(txn, kDatabaseNames[number], flags, &dbi);
  if (code == MDB_NOTFOUND) return tl::unexpected(opening_failure(MDB_INVALID));
  if (code != MDB_SUCCESS) return tl::unexpected(opening_failure(code));
  if (dbi != dbi_of(static_cast<Database>(number)))
    return tl::unexpected(std::string("this LMDB numbers databases otherwise"));
  return {};
}

// Opens every database; creates all of them in an empty environment.
tl::expected<void, std::string> open_databases(MDB_env* env) {
  OpeningTransaction txn;
  int code = txn.begin(env);
  if (code != MDB_SUCCESS) return tl::unexpected(opening_failure(code));
  MDB_dbi main_database{};
  MDB_stat main_stat{};
  code = mdb_dbi_open(txn.get(), nullptr, 0, &main_database);
  if (code == MDB_SUCCESS) code = mdb_stat(txn.get(), main_database, &main_stat);
  if (code != MDB_SUCCESS) return tl::unexpected(opening_failure(code));
  const bool is_new = main_stat.ms_entries == 0;
  std::uint32_t version = kNoVersion;
  if (is_new) {
    if (auto opened = open_database(txn.get(), 0, MDB_CREATE); !opened) return opened;
  } else {
    // Meta first: another version has other databases.
    if (auto opened = open_database(txn.get(), 0, 0); !opened) return opened;
    const auto stored = stored_version(txn.get());
    if (!stored) return tl::unexpected(stored.error());
    version = *stored;
  }
  for (std::size_t i = 1; i < kDatabaseCount; ++i) {
    const bool is_made = version < first_version_of(i);
    if (auto opened = open_database(txn.get(), i, is_made ? MDB_CREATE : 0); !opened) return opened;
  }
  code = begin_version(txn.get(), version);
  if (code == MDB_SUCCESS && is_migrating(txn.get())) {
    const auto number = static_cast<std::size_t>(Database::IndexChangesOf2);
    if (auto opened = open_database(txn.get(), number, MDB_CREATE); !opened) return opened;
  }
  if (code == MDB_SUCCESS) code = txn.commit();
  if (code != MDB_SUCCESS) return tl::unexpected(opening_failure(code));
  return {};
}

// Rejects data that open() would have to migrate.
tl::expected<void, std::string> check_current_version(MDB_env* env) {
  MDB_txn* txn = nullptr;
  const int code = mdb_txn_begin(env, nullptr, MDB_RDONLY, &txn);
  if (code != MDB_SUCCESS) return tl::unexpected(opening_failure(code));
  tl::expected<std::uint32_t, std::string> version = kNoVersion;
  bool is_current = false;
  if (const auto opened = open_database(txn, 0, 0); !opened) {
    version = tl::unexpected(opened.error());
  } else if (version = stored_version(txn); version) {
    is_current = *version == kFormatVersion && !is_migrating(txn);
  }
  mdb_txn_abort(txn);
  if (!version) return tl::unexpected(version.error());
  if (!is_current)
    return tl::unexpected(std::string("it has an older format: start a server on it once"));
  return {};
}

// Opens the databases of a read-only environment, where all exist.
bool open_databases_for_reading(MDB_env* env) {
  MDB_txn* txn = nullptr;
  if (mdb_txn_begin(env, nullptr, MDB_RDONLY, &txn) != MDB_SUCCESS) return false;
  bool all_opened = true;
  for (std::size_t i = 0; i < kDatabaseCount && all_opened; ++i)
    all_opened = open_database(txn, i, 0).has_value();
  // Handles opened in a transaction persist only if it is committed.
  if (all_opened) return mdb_txn_commit(txn) == MDB_SUCCESS;
  mdb_txn_abort(txn);
  return false;
}

tl::expected<std::shared_ptr<LmdbHandle>, std::string> open_in_memory(
    const EnvironmentOptions& options, unsigned& flags) {
  // A writable map saves a copy and a system call per page (five times as many commits of one
  // item). It needs the whole map as the file's size, which a limit on file sizes may forbid.
  std::string why;
  for (const unsigned attempt : {flags, flags & ~static_cast<unsigned>(MDB_WRITEMAP)}) {
    const auto files = MemoryFiles::create(MemoryFiles::usual_parents());
    if (!files) return tl::unexpected(files.error());
    auto handle = LmdbHandle::open(files->folder(), attempt, options.map_bytes_max + kReserveBytes);
    flags = attempt;
    if (handle) return *std::move(handle);
    why = opening_failure(handle.error());
  }
  return tl::unexpected(std::move(why));
}

}  // namespace

std::shared_ptr<LmdbHandle> Environment::Impl::handle() const {
  const std::scoped_lock lock(mutex_);
  return current_;
}

std::shared_ptr<LmdbHandle> Environment::Impl::handle_after(
    const std::shared_ptr<LmdbHandle>& failed) {
  const std::scoped_lock lock(mutex_);
  if (current_ != failed) return current_;
  if (!options.folder) return nullptr;  // no meta page in memory can fail to be written
  auto fresh =
      LmdbHandle::open(*options.folder, MDB_NOTLS | MDB_RDONLY | MDB_NOLOCK, options.map_bytes_max);
  if (!fresh || !open_databases_for_reading((*fresh)->env())) return nullptr;
  current_ = *std::move(fresh);
  return current_;
}

void Environment::Impl::commit_failed(const LmdbHandle& failed, int code) {
  // A failed write of the meta page leaves LMDB unusable, whatever the code.
  MDB_txn* probe = nullptr;
  const int probed = mdb_txn_begin(failed.env(), nullptr, MDB_RDONLY, &probe);
  if (probed == MDB_SUCCESS) mdb_txn_abort(probe);
  if (probed == MDB_PANIC) return end_writing("a commit failed: " + lmdb_error_text(code));
  if (is_out_of_space(code)) return;  // failed while writing pages that no meta page names yet
  // EIO means a page partly written for lack of space, or a failed sync.
  if (code == EIO && witness && ::fdatasync(witness.fd()) == 0) {
    room = FreeSpace::None;
    return;
  }
  end_writing("the disk failed: " + lmdb_error_text(code));
}

bool Environment::Impl::is_out_of_space(int code) {
  switch (code) {
    case MDB_MAP_FULL:
    case MDB_TXN_FULL:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENOMEM:
      return true;
    default:
      return false;
  }
}

void Environment::Impl::committed(const LmdbHandle& handle) {
  if (!use) return;
  const std::uint64_t used_bytes = handle.used_bytes();
  use->committed(used_bytes);
  ballast.keep(used_bytes);
  laid_pages.lay(used_bytes, ballast.kept_until());
}

void Environment::Impl::look_for_data() {
  constexpr std::chrono::milliseconds kLook{100};
  if (!witness || is_removed) return;
  if (options.sync == Sync::Lazy) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look) return;
    next_look = now + kLook;
  }
  struct stat data {};
  if (::fstat(witness.fd(), &data) != 0 || data.st_nlink != 0) return;
  is_removed = true;
  end_writing("data.mdb was removed");
}

void Environment::Impl::end_writing(std::string why) {
  const std::scoped_lock lock(mutex_);
  if (writing_ended_because_.empty()) writing_ended_because_ = std::move(why);
}

std::string Environment::Impl::why_writing_ended() const {
  const std::scoped_lock lock(mutex_);
  return writing_ended_because_;
}

tl::expected<std::unique_ptr<Environment>, std::string> Environment::open(
    const EnvironmentOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  impl->lmdb_flags = flags_for(options);
  if (!options.folder) {
    auto handle = open_in_memory(options, impl->lmdb_flags);
    if (!handle) return tl::unexpected("cannot keep data in memory: " + handle.error());
    impl->current_ = *std::move(handle);
    impl->ordinary_bytes = ordinary_bytes_of(impl->current_->map_bytes(), options.map_bytes_max);
    if (auto opened = open_databases(impl->current_->env()); !opened) {
      return tl::unexpected("cannot keep data in memory: " + opened.error());
    }
    return std::unique_ptr<Environment>(new Environment(std::move(impl)));
  }

  const auto failed = [&](const std::string& why) {
    return tl::unexpected("cannot use the data folder " + options.folder->string() + ": " + why);
  };
  auto lock = lock_data_folder(*options.folder, options.lock_patience);
  if (!lock) return failed(lock.error());
  impl->folder_lock = *std::move(lock);
  std::error_code ignored;
  if (auto absolute = std::filesystem::absolute(*options.folder, ignored); !ignored) {
    impl->options.folder = std::move(absolute);  // in case the working folder changes
  }
  if (auto prepared = prepare_files(*options.folder); !prepared) return failed(prepared.error());
  auto use = FolderLifecycle::prepare(options);
  if (!use) return failed(use.error());
  impl->use = *std::move(use);
  const std::filesystem::path data_file = *options.folder / "data.mdb";
  std::size_t file_bytes = std::filesystem::file_size(data_file, ignored);
  if (ignored) file_bytes = 0;
  auto handle = LmdbHandle::open(*options.folder, impl->lmdb_flags,
                                 map_bytes_for(options.map_bytes_max, file_bytes));
  if (!handle) return failed(opening_failure(handle.error()));
  impl->current_ = *std::move(handle);
  impl->ordinary_bytes = ordinary_bytes_of(impl->current_->map_bytes(), options.map_bytes_max);
  impl->witness = Descriptor(::open(data_file.c_str(), O_RDWR | O_CLOEXEC));
  impl->ballast = Ballast(impl->witness.fd());
  impl->ballast.keep(file_bytes);
  if (options.sync == Sync::Lazy)
    impl->laid_pages = PrefilledPages(impl->witness.fd(), impl->current_->page_bytes());
  const auto end_writing = [owner = impl.get()](std::string why) {
    owner->end_writing("the disk failed: " + std::move(why));
  };
  if (auto begun = impl->use->begin(impl->current_, impl->witness.fd(), end_writing); !begun)
    return failed(begun.error());
  if (auto opened = open_databases(impl->current_->env()); !opened) return failed(opened.error());
  return std::unique_ptr<Environment>(new Environment(std::move(impl)));
}

tl::expected<std::unique_ptr<Environment>, std::string> Environment::open_to_read(
    const std::filesystem::path& folder) {
  const auto failed = [&](const std::string& why) {
    return tl::unexpected("cannot read the data folder " + folder.string() + ": " + why);
  };
  std::error_code failure;
  if (!std::filesystem::exists(folder / "data.mdb", failure))
    return failed("there is no data.mdb in it");
  auto impl = std::make_unique<Impl>();
  impl->options.folder = folder;
  impl->end_writing("it was opened for reading only");
  {
    // The process that holds the lock has recovered the folder. From here LMDB's own lock protects
    // its pages.
    const auto lock = lock_data_folder(folder, std::chrono::milliseconds(0));
    if (lock) {
      if (auto use = FolderLifecycle::prepare(impl->options); !use) return failed(use.error());
    }
    auto handle = LmdbHandle::open(folder, MDB_NOTLS | MDB_RDONLY, impl->options.map_bytes_max);
    if (!handle) return failed(opening_failure(handle.error()));
    impl->current_ = *std::move(handle);
  }
  if (auto version = check_current_version(impl->current_->env()); !version)
    return failed(version.error());
  if (!open_databases_for_reading(impl->current_->env()))
    return failed(opening_failure(MDB_INVALID));
  return std::unique_ptr<Environment>(new Environment(std::move(impl)));
}

tl::expected<void, std::string> Environment::copy_to(int file, Copy kind) const {
  const unsigned flags = kind == Copy::Compact ? MDB_CP_COMPACT : 0U;
  const int code = mdb_env_copyfd2(impl_->handle()->env(), file, flags);
  if (code != MDB_SUCCESS) return tl::unexpected(lmdb_error_text(code));
  return {};
}

void Environment::remember_changes_after(std::uint32_t mark) { impl_->newest_mark = mark; }

bool Environment::has_marks() const { return impl_->newest_mark != 0; }

Environment::Environment(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Environment::~Environment() {
  // A failure here loses no promised data.
  if (impl_->use && why_writing_ended().empty()) impl_->use->end();
}

std::string Environment::why_writing_ended() const { return impl_->why_writing_ended(); }

bool Environment::data_is_removed() const { return impl_->is_removed; }

FreeSpace Environment::room() const { return impl_->room; }

bool Environment::has_ample_space() const {
  constexpr std::int64_t kAmplePages = 256;
  return impl_->ordinary_pages_left(*impl_->handle(), /*counts_free=*/true) >= kAmplePages;
}

bool Environment::reclaim_space() {
  if (impl_->room != FreeSpace::None || !impl_->use || !impl_->use->sync_after(impl_->sync_count))
    return false;
  impl_->room = FreeSpace::Made;
  return true;
}

bool Environment::in_memory() const { return !impl_->options.folder.has_value(); }

std::size_t Environment::used_bytes() const { return impl_->handle()->used_bytes(); }

}  // namespace stator::storage

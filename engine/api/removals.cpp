// Removing tables and expired items on request (control.h). With tables, client tokens go too, so
// that a client that starts over may reuse them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/control.h"
#include "engine/api/engine.h"
#include "engine/maintenance/chores/chore_kinds.h"
#include "engine/state/item_copies.h"
#include "engine/state/stream_life.h"
#include "engine/storage/descriptions/descriptions.h"
#include "engine/storage/descriptions/kinesis_streams.h"
#include "engine/storage/stores/stream_store.h"
#include "engine/storage/stores/token_store.h"

namespace stator {
namespace {

constexpr std::size_t kTablesInCommit = 200;
constexpr std::size_t kStreamsInCommit = 200;
constexpr std::size_t kTokensInCommit = 1000;
constexpr std::size_t kBackupsInCommit = 200;

using IsMeant = std::function<bool(std::string_view scope)>;

// Returns whether all are removed.
bool erase_tables(Engine& engine, const IsMeant& is_meant, StopCondition& stop_condition,
                  Reset& reset) {
  for (;;) {
    std::size_t removed = 0;
    std::size_t seen = 0;
    const auto erase_some = [&](const Catalog& catalog, Timestamp now, Mutation& mutation) {
      removed = seen = 0;
      catalog.scopes().for_each([&](const std::string& scope, const Catalog::Names& names) {
        if (removed == kTablesInCommit || !is_meant(scope)) return;
        names.for_each([&](const std::string&, const Catalog::TablePtr& table) {
          if (removed == kTablesInCommit) return;
          ++removed;
          if (table->status(now) != TableStatus::Gone) ++seen;
          mutation.erase_table(*table);
        });
      });
    };
    if (!engine.change(erase_some)) return false;
    reset.tables += seen;
    if (removed < kTablesInCommit) return true;
    if (stop_condition.should_stop()) return false;
  }
}

// Removes closed streams; returns whether all are removed.
bool forget_streams(Engine& engine, const IsMeant& is_meant, StopCondition& stop_condition,
                    Reset& reset) {
  for (std::uint64_t last = 0;;) {
    std::size_t forgotten = 0;
    std::uint64_t seen = 0;
    bool is_all = false;
    const auto forget_some = [&](ChorePiece& piece) -> Result<void> {
      forgotten = 0;
      STATOR_TRY(const auto closed, closed_streams(piece.transaction));
      auto next = std::upper_bound(closed.begin(), closed.end(), last);
      for (; next != closed.end() && forgotten < kStreamsInCommit; ++next) {
        seen = *next;
        STATOR_TRY(const auto stream, storage::find_stream(piece.transaction, seen));
        if (!stream || !is_meant(stream->scope)) continue;
        STATOR_CHECK(forget_stream(*stream, {piece.batch, piece.transaction, piece.now}));
        ++forgotten;
      }
      is_all = next == closed.end();
      return {};
    };
    if (!engine.commit_piece(forget_some)) return false;
    reset.streams += forgotten;
    if (is_all) return true;
    if (stop_condition.should_stop()) return false;
    last = seen;
  }
}

// Of those that are meant, the first go. Returns how many of both.
Result<std::size_t> forget_some_backups(const IsMeant& is_meant, ChorePiece& piece) {
  std::size_t forgotten = 0;
  const CopyContext context{piece.batch, piece.transaction, piece.now};
  STATOR_TRY(const auto backups, storage::Backups::all(piece.transaction));
  for (const Backup& backup : backups) {
    if (forgotten == kBackupsInCommit) return forgotten;
    if (!is_meant(backup.scope)) continue;
    STATOR_CHECK(apply_erased_backup(backup, context));
    ++forgotten;
  }
  STATOR_TRY(const auto exports, storage::Exports::all(piece.transaction));
  for (const ExportJob& job : exports) {
    if (forgotten == kBackupsInCommit) return forgotten;
    if (!is_meant(job.scope)) continue;
    STATOR_CHECK(apply_erased_export(job, context));
    ++forgotten;
  }
  STATOR_TRY(const auto bulk_jobs, storage::BulkJobs::all(piece.transaction));
  for (const BulkJob& job : bulk_jobs) {
    if (forgotten == kBackupsInCommit) return forgotten;
    if (!is_meant(job.scope)) continue;
    STATOR_CHECK(apply_erased_bulk_job(job, context));
    ++forgotten;
  }
  return forgotten;
}

// As above. The table of an import in progress goes too: its thread may have made it meanwhile.
Result<std::size_t> forget_some_imports(const IsMeant& is_meant, ChorePiece& piece) {
  std::size_t forgotten = 0;
  STATOR_TRY(auto imports, storage::Imports::all(piece.transaction));
  for (ImportJob& job : imports) {
    if (forgotten == kBackupsInCommit) break;
    if (!is_meant(job.scope)) continue;
    const Table* made = job.is_in_progress() ? piece.catalog().find(job.space) : nullptr;
    if (made != nullptr) piece.mutation.erase_table(*made);
    piece.mutation.erase_import(std::move(job));
    ++forgotten;
  }
  STATOR_CHECK(piece.apply());
  return forgotten;
}

// As above, of streams of Kinesis that are hosted here.
Result<std::size_t> forget_some_kinesis_streams(const IsMeant& is_meant, ChorePiece& piece) {
  std::size_t forgotten = 0;
  STATOR_TRY(auto streams, storage::all_kinesis_streams(piece.transaction));
  for (KinesisStream& stream : streams) {
    if (forgotten == kBackupsInCommit) break;
    if (!is_meant(stream.scope)) continue;
    piece.mutation.erase_kinesis_stream(std::move(stream));
    ++forgotten;
  }
  STATOR_CHECK(piece.apply());
  piece.mutation.clear();
  return forgotten;
}

// Backups, exports, imports, bulk puts and streams of Kinesis; whether all are gone.
bool forget_backups(Engine& engine, const IsMeant& is_meant, StopCondition& stop_condition) {
  for (;;) {
    std::size_t forgotten = 0;
    const auto forget_some = [&](ChorePiece& piece) -> Result<void> {
      STATOR_TRY(forgotten, forget_some_backups(is_meant, piece));
      STATOR_TRY(const std::size_t imports, forget_some_imports(is_meant, piece));
      piece.mutation.clear();
      STATOR_TRY(const std::size_t streams, forget_some_kinesis_streams(is_meant, piece));
      forgotten = std::max({forgotten, imports, streams});
      return {};
    };
    if (!engine.commit_piece(forget_some)) return false;
    if (forgotten < kBackupsInCommit) return true;
    if (stop_condition.should_stop()) return false;
  }
}

bool forget_tokens(Engine& engine, const IsMeant& is_meant, StopCondition& stop_condition) {
  for (std::string from;;) {
    std::string next;
    const auto erase_some = [&](ChorePiece& piece) -> Result<void> {
      STATOR_TRY(next, storage::erase_tokens(piece.transaction, is_meant, from, kTokensInCommit));
      return {};
    };
    if (!engine.commit_piece(erase_some)) return false;
    if (next.empty()) return true;
    if (stop_condition.should_stop()) return false;
    from = std::move(next);
  }
}

// Completes the table's expiry entries first. Returns whether everything is done.
Result<bool> delete_some_expired(storage::SpaceId space, ChorePiece& piece,
                                 std::uint64_t& deleted) {
  const Table* table = piece.catalog().find(space);
  if (table == nullptr || table->expiry() == nullptr) return true;
  if (table->expiry()->build) {
    STATOR_CHECK(build_expiries(*table, piece).map([](bool) {}));
    return false;
  }
  STATOR_TRY(const ExpirySwept swept, sweep_expired(*table, /*delay=*/{}, piece));
  deleted = swept.deleted;
  return swept.is_done;
}

}  // namespace

Reset reset_tables(Engine& engine, const IsMeant& is_meant, StopCondition& stop_condition,
                   ClosedStreams streams) {
  Reset reset;
  reset.is_whole =
      erase_tables(engine, is_meant, stop_condition, reset) &&
      forget_backups(engine, is_meant, stop_condition) &&
      (streams == ClosedStreams::Stay || forget_streams(engine, is_meant, stop_condition, reset)) &&
      forget_tokens(engine, is_meant, stop_condition);
  return reset;
}

ExpiredItems delete_expired_items(Engine& engine, StopCondition& stop_condition) {
  ExpiredItems items;
  std::vector<storage::SpaceId> tables;
  const auto find_tables = [&](const Catalog& catalog, Timestamp, Mutation&) {
    tables.clear();
    catalog.for_each([&](const Table& table) {
      if (table.expiry() != nullptr && !table.deleting_until) tables.push_back(table.space);
    });
  };
  if (!engine.change(find_tables)) return {0, ExpiredItems::End::WriteFailed};
  for (const storage::SpaceId table : tables) {
    for (bool is_done = false; !is_done;) {
      if (stop_condition.should_stop()) return {items.deleted, ExpiredItems::End::Cancelled};
      std::uint64_t deleted = 0;
      const bool is_stored = engine.commit_piece([&](ChorePiece& piece) -> Result<void> {
        deleted = 0;
        STATOR_TRY(is_done, delete_some_expired(table, piece, deleted));
        return {};
      });
      if (!is_stored) return {items.deleted, ExpiredItems::End::WriteFailed};
      items.deleted += deleted;
    }
  }
  return items;
}

}  // namespace stator

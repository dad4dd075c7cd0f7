#include "engine/api/ready_imports.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "engine/api/engine.h"
#include "engine/items/item_decision.h"
#include "engine/items/item_plan.h"
#include "engine/maintenance/chores/piece_snapshot.h"
#include "engine/storage/descriptions/descriptions.h"
#include "protocol/service/limits.h"
#include "protocol/values/item_size.h"

namespace stator {
namespace {

// Changes the import in progress, given as it is stored.
using Change = std::function<Result<ImportCommit>(ImportJob& stored, ChorePiece& piece)>;

ImportCommit commit(Engine& engine, const ImportJob& job, bool only_frees_space,
                    const Change& change) {
  ImportCommit outcome = ImportCommit::NotStored;
  const auto work = [&](ChorePiece& piece) -> Result<void> {
    outcome = ImportCommit::Elsewhere;
    STATOR_TRY(auto stored, storage::Imports::find_in_progress(piece.transaction, job.space));
    if (!stored || stored->id != job.id || stored->progress != job.progress) return {};
    STATOR_TRY(outcome, change(*stored, piece));
    if (outcome != ImportCommit::Stored) return {};
    piece.mutation.put_import(*std::move(stored));
    return piece.apply();
  };
  return engine.commit_piece(work, only_frees_space) ? outcome : ImportCommit::NotStored;
}

// Of several items with one key the last one.
using LastItems = std::map<std::pair<std::string_view, std::string_view>, const ImportItem*>;

Result<void> stage_items(const Table& table, const LastItems& items, ChorePiece& piece) {
  const PieceSnapshot snapshot(piece);
  const WriteContext context{.snapshot = snapshot.get(),
                             .arena = piece.arena,
                             .scratch = piece.mutation.scratch(),
                             .looking = piece.mutation.looking(),
                             .item_collection_bytes_max = std::numeric_limits<std::int64_t>::max()};
  for (const auto& [key, item] : items) {
    const PutPlan plan{item->item, item->size_bytes, nullptr};
    STATOR_TRY(const Decision decision, decide(table, {key.first, key.second}, plan, context));
    enter(decision, piece.mutation);
  }
  return {};
}

}  // namespace

Result<std::optional<ImportJob>> next_import_in_progress(
    const Snapshot& snapshot, const std::vector<storage::SpaceId>& skips) {
  STATOR_TRY(auto jobs, storage::Imports::all_in_progress(snapshot.transaction()));
  for (ImportJob& job : jobs) {
    const bool is_skipped = std::find(skips.begin(), skips.end(), job.space) != skips.end();
    if (!is_skipped) return std::optional(std::move(job));
  }
  return std::optional<ImportJob>();
}

Result<ImportItem> check_import_item(const Table& table, Item item) {
  const std::size_t size_bytes = item_size_bytes(item);
  if (size_bytes > limits::kItemBytesMax) return item_too_large();
  STATOR_CHECK(locate(table, PutPlan{item, size_bytes, nullptr}).map([](const PrimaryKey&) {}));
  return ImportItem{item, size_bytes};
}

ImportCommit begin_import(Engine& engine, ImportJob& job) {
  ImportProgress progress;
  const auto begin = [&](ImportJob& stored, ChorePiece& piece) -> Result<ImportCommit> {
    progress = stored.progress;
    if (piece.catalog().find(stored.space) != nullptr) return ImportCommit::Stored;
    // The number of a table is not used again.
    if (stored.progress != ImportProgress{}) return ImportCommit::TableGone;
    stored.progress.is_object_read = true;
    progress = stored.progress;
    const std::string& table_name = stored.table.name;
    if (piece.catalog().find(stored.scope, table_name, piece.now) != nullptr)
      return ImportCommit::TableExists;
    // It is GONE, which a chore has not noticed yet.
    if (const auto gone = piece.catalog().find_recorded(stored.scope, table_name))
      piece.mutation.erase_table(*gone);
    Table table = stored.table;
    table.creating_until = kWhileImported;
    piece.mutation.put_table(std::move(table));
    return ImportCommit::Stored;
  };
  const ImportCommit outcome = commit(engine, job, /*only_frees_space=*/false, begin);
  if (outcome == ImportCommit::Stored) job.progress = progress;
  return outcome;
}

ImportCommit store_import_items(Engine& engine, const ImportJob& job,
                                std::span<const ImportItem> items, const ImportProgress& progress) {
  const auto put_items = [&](ImportJob& stored, ChorePiece& piece) -> Result<ImportCommit> {
    const Table* table = piece.catalog().find(stored.space);
    if (table == nullptr) return ImportCommit::Elsewhere;
    LastItems last;
    for (const ImportItem& item : items) {
      STATOR_TRY(const PrimaryKey key,
                 locate(*table, PutPlan{item.item, item.size_bytes, nullptr}));
      last.insert_or_assign({key.partition, key.sort}, &item);
    }
    STATOR_CHECK(stage_items(*table, last, piece));
    stored.progress = progress;
    return ImportCommit::Stored;
  };
  return commit(engine, job, /*only_frees_space=*/false, put_items);
}

ImportCommit end_import(Engine& engine, const ImportJob& job, const ImportEnd& end) {
  const auto store_end = [&](ImportJob& stored, ChorePiece& piece) -> Result<ImportCommit> {
    stored.status = end.failure_code.empty() ? ImportStatus::Completed : ImportStatus::Failed;
    stored.ended = piece.now;
    stored.failure_code = end.failure_code;
    stored.failure_message = end.failure_message;
    const Table* made = piece.catalog().find(stored.space);
    if (made == nullptr) return ImportCommit::Stored;
    if (end.keeps_table) {
      Table table = *made;
      table.creating_until = stored.table.creating_until;
      piece.mutation.put_table(std::move(table));
    } else {
      piece.mutation.erase_table(*made);
    }
    return ImportCommit::Stored;
  };
  return commit(engine, job, /*only_frees_space=*/true, store_end);
}

}  // namespace stator

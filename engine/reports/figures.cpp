#include "engine/reports/figures.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/catalog/catalog.h"
#include "engine/catalog/consumers.h"
#include "engine/reports/visible_tables.h"
#include "engine/schema/expiry.h"
#include "engine/state/snapshot.h"
#include "engine/storage/stores/expiries.h"
#include "engine/storage/stores/journal.h"
#include "engine/storage/stores/stream_store.h"

namespace stator {
namespace {

// The time of the oldest remaining record of the stream; empty if it has none.
Result<std::optional<Timestamp>> oldest_record(const storage::Consumer& stream,
                                               const storage::Transaction& transaction) {
  STATOR_TRY(const auto first,
             storage::find_in_journal(transaction, stream.table, stream.position));
  if (!first) return std::optional<Timestamp>();
  STATOR_TRY(const auto entry, storage::decode_journal_entry(first->bytes));
  return std::optional(entry.written.time);
}

std::chrono::microseconds passed(Timestamp since, Timestamp now) {
  return std::chrono::microseconds(std::max<std::int64_t>(now.unix_us - since.unix_us, 0));
}

}  // namespace

// Parses a scope as scope_of() writes it: empty, "region" or "key/region".
std::optional<TableLabel> label_of(std::string_view scope, std::string_view region,
                                   std::string_view table_name, Isolation isolation) {
  const std::size_t slash = scope.rfind('/');
  const bool has_key = slash != std::string_view::npos;
  const bool is_visible = has_key         ? isolation == Isolation::Key
                          : scope.empty() ? isolation == Isolation::None
                                          : isolation == Isolation::Region;
  if (!is_visible) return std::nullopt;
  return TableLabel{std::string(region), std::string(scope.substr(0, has_key ? slash : 0)),
                    std::string(table_name)};
}

Result<std::vector<TableStats>> space_figures(const Snapshot& snapshot, Isolation isolation) {
  std::vector<TableStats> figures;
  const auto add_table = [&](const Table& table, const TableLabel& label) -> Result<void> {
    STATOR_TRY(const SpaceStats stats, snapshot.stats(table.space));
    figures.push_back({label, {}, stats});
    for (const LocalIndex& index : table.local_indexes) {
      STATOR_TRY(const SpaceStats of_index, snapshot.stats(index.space));
      figures.push_back({label, index.name, of_index});
    }
    for (const GlobalIndex& index : table.global_indexes) {
      if (index.status(snapshot.now()) == TableStatus::Gone) continue;
      STATOR_TRY(const SpaceStats of_index, snapshot.stats(index.space));
      figures.push_back({label, index.name, of_index});
    }
    return {};
  };
  STATOR_CHECK(for_each_visible_table(snapshot, isolation, add_table));
  return figures;
}

Result<std::vector<ExpiryFigures>> expiry_figures(const Snapshot& snapshot, Isolation isolation) {
  std::vector<ExpiryFigures> figures;
  const ExpiryWindow window = ExpiryWindow::at(snapshot.now(), /*delay=*/{});
  const auto add_table = [&](const Table& table, TableLabel label) -> Result<void> {
    if (table.expiry() == nullptr || table.deleting_until) return {};
    STATOR_TRY(const auto first, storage::first_expiry(snapshot.transaction(),
                                                       table.expiry()->space, window.first_s));
    const bool is_expired = first && first->due_s <= window.last_s;
    const auto lag = is_expired ? passed(ExpiryWindow::begin(first->due_s, {}), snapshot.now())
                                : std::chrono::microseconds(0);
    figures.push_back({std::move(label), lag, table.runtime->expired_items});
    return {};
  };
  STATOR_CHECK(for_each_visible_table(snapshot, isolation, add_table));
  return figures;
}

Result<AllStreamFigures> stream_figures(const Snapshot& snapshot, Isolation isolation) {
  AllStreamFigures figures;
  std::map<TableLabel, Timestamp> oldest;
  STATOR_TRY(const auto consumers, storage::all_consumers(snapshot.transaction()));
  for (const storage::Consumer& consumer : consumers) {
    const auto number = stream_of(consumer.name);
    if (!number) continue;
    STATOR_TRY(const auto stream, storage::find_stream(snapshot.transaction(), *number));
    if (!stream) continue;
    auto label = label_of(stream->scope, stream->region, stream->table_name, isolation);
    if (!label) continue;
    ++figures.streams;
    STATOR_TRY(const auto written, oldest_record(consumer, snapshot.transaction()));
    if (!written) continue;
    const auto [place, is_new] = oldest.try_emplace(*std::move(label), *written);
    if (!is_new) place->second = std::min(place->second, *written);
  }
  for (const auto& [label, written] : oldest)
    figures.tables.push_back({label, passed(written, snapshot.now())});
  if (figures.streams > 0)
    figures.journal_bytes = snapshot.transaction().occupied_bytes(storage::Database::Journal);
  return figures;
}

}  // namespace stator

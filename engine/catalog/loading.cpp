#include "engine/catalog/loading.h"

#include <algorithm>
#include <utility>

#include "engine/catalog/persisted_time.h"
#include "engine/storage/environment/transaction.h"
#include "engine/storage/records/table_codec.h"

namespace stator {

using storage::Database;

tl::expected<std::shared_ptr<const Catalog>, std::string> load_catalog(
    const storage::Environment& environment) {
  storage::ReadTransaction transaction(environment);
  const auto failed = [](const Error& error) {
    return tl::unexpected("cannot read the tables: " + error.message());
  };
  if (auto acquired = transaction.acquire(); !acquired) return failed(acquired.error());
  auto catalog = read_catalog(transaction);
  if (!catalog) return failed(catalog.error());
  return *std::move(catalog);
}

Result<std::shared_ptr<Catalog>> read_catalog(const storage::Transaction& transaction) {
  auto catalog = std::make_shared<Catalog>();
  std::string after;
  for (;;) {
    STATOR_TRY(const auto record, transaction.seek(Database::Tables, after,
                                                   /*after=*/!after.empty()));
    if (!record) return catalog;
    after = record->key;
    auto table = decode_table(std::string(record->value));
    if (!table)
      return Error(ErrorCode::InternalServerError,
                   "the data is damaged: a table's description cannot be read");
    table->begin_runtimes();
    catalog->insert(std::make_shared<const Table>(std::move(*table)));
  }
}

tl::expected<std::shared_ptr<const Consumers>, std::string> load_consumers(
    const storage::Environment& environment) {
  storage::ReadTransaction transaction(environment);
  const auto failed = [](const Error& error) {
    return tl::unexpected("cannot read who follows the tables: " + error.message());
  };
  if (auto acquired = transaction.acquire(); !acquired) return failed(acquired.error());
  auto consumers = Consumers::load(transaction);
  if (!consumers) return failed(consumers.error());
  return *std::move(consumers);
}

tl::expected<Timestamp, std::string> load_time(const storage::Environment& environment,
                                               const Catalog& catalog) {
  storage::ReadTransaction transaction(environment);
  const auto failed = [](const Error& error) {
    return tl::unexpected("cannot read the time of the data: " + error.message());
  };
  if (auto acquired = transaction.acquire(); !acquired) return failed(acquired.error());
  const auto kept = PersistedTime::load(transaction);
  if (!kept) return failed(kept.error());
  if (*kept) return **kept;
  Timestamp latest;
  catalog.for_each([&](const Table& table) { latest = std::max(latest, table.created); });
  return latest;
}

}  // namespace stator

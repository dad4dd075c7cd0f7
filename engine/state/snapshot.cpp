#include "engine/state/snapshot.h"

#include "engine/catalog/catalog.h"
#include "engine/state/in_flight_transactions.h"
#include "engine/storage/stores/counters.h"
#include "protocol/errors/rule.h"
#include "protocol/service/arn.h"
#include "protocol/service/common_errors.h"

namespace stator {
Error table_not_found(std::string_view name) {
  return resource_not_found(std::string("Table: ").append(name).append(" not found"))
      .with_rule(Rule::TableExists, {name});
}

const Table* Snapshot::find_table(const Call& call, std::string_view name_or_arn) const {
  Arena arena;
  const std::string_view scope = scope_of(call, arena);
  if (!name_or_arn.starts_with("arn:")) {
    const Table* table = catalog_.find(scope, name_or_arn, now_);
    if (table == nullptr) listener_.table_missing(catalog_, scope, name_or_arn);
    return table;
  }
  const auto arn = parse_table_arn(name_or_arn);
  if (!arn || !arn->rest.empty()) return nullptr;
  const Table* table = catalog_.find(scope, arn->table_name, now_);
  // Policies look at the text, so an ARN that differs anywhere, as in its partition, is another's.
  return table != nullptr && table->arn() == name_or_arn ? table : nullptr;
}

Result<const Table*> Snapshot::item_table(Call& call, std::string_view name_or_arn) const {
  const Table* table = find_table(call, name_or_arn);
  const auto usable = [&] {
    const TableStatus status = table->status(now_);
    return status == TableStatus::Active || status == TableStatus::Updating;
  };
  if (table == nullptr || !usable()) return resource_not_found({});
  return table;
}

Result<const Table*> Snapshot::control_table(Call& call, std::string_view name_or_arn) const {
  const Table* table = find_table(call, name_or_arn);
  if (table == nullptr) return table_not_found(table_name_of(name_or_arn));
  return table;
}

bool Snapshot::is_held(const LocatedKey& item) const { return flights_.holds(item, own_); }

std::optional<std::string> Snapshot::find_flight(const storage::TokenName& token) const {
  return flights_.find_token(token, own_);
}

std::vector<FlightInfo> Snapshot::flights(std::size_t count_max) const {
  return flights_.list(count_max);
}

Result<SpaceStats> Snapshot::stats(storage::SpaceId space) const {
  return storage::find_stats(transaction_, space);
}

Result<std::int64_t> Snapshot::collection_size_bytes(const Table& table,
                                                     std::string_view partition) const {
  const storage::CollectionKey key{table.space, partition};
  STATOR_TRY(const auto stored,
             transaction_.find(storage::Database::Collections, key.encode().view()));
  if (!stored) return 0;
  return storage::decode_collection_size(*stored);
}

}  // namespace stator

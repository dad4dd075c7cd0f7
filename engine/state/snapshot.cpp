#include "engine/state/snapshot.h"

#include <cstring>

#include "engine/call/settings.h"
#include "protocol/arn.h"

namespace stator {
Error table_not_found(std::string_view name) {
  std::string message = "Requested resource not found: Table: ";
  return Error::resource_not_found(message.append(name).append(" not found"));
}

std::string_view scope_of(const Call& call, Arena& arena) {
  switch (call.settings->isolation) {
    case Isolation::None:
      return {};
    case Isolation::Region:
      return call.caller.region;
    case Isolation::Key:
      break;
  }
  const std::string_view key = call.caller.access_key;
  const std::string_view region = call.caller.region;
  const auto scope = arena.allocate_array<char>(key.size() + 1 + region.size());
  std::memcpy(scope.data(), key.data(), key.size());
  scope[key.size()] = '/';
  std::memcpy(scope.data() + key.size() + 1, region.data(), region.size());
  return {scope.data(), scope.size()};
}

std::string_view table_name_of(std::string_view name_or_arn) {
  if (!name_or_arn.starts_with("arn:")) return name_or_arn;
  const auto arn = parse_table_arn(name_or_arn);
  return arn ? arn->table_name : name_or_arn;
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
  if (table == nullptr || table->region != arn->region || table->account_id != arn->account_id)
    return nullptr;
  return table;
}

Result<const Table*> Snapshot::item_table(Call& call, std::string_view name_or_arn) const {
  const Table* table = find_table(call, name_or_arn);
  const auto usable = [&] {
    const TableStatus status = table->status(now_);
    return status == TableStatus::Active || status == TableStatus::Updating;
  };
  if (table == nullptr || !usable())
    return Error::resource_not_found("Requested resource not found");
  return table;
}

Result<const Table*> Snapshot::control_table(Call& call, std::string_view name_or_arn) const {
  const Table* table = find_table(call, name_or_arn);
  if (table == nullptr) return table_not_found(table_name_of(name_or_arn));
  return table;
}

Result<SpaceStats> Snapshot::stats(storage::SpaceId space) const {
  STATOR_TRY(const auto stored,
             transaction_.find(storage::Database::Stats, storage::SpaceKey{space}.encode().view()));
  if (!stored) return SpaceStats{};
  return storage::decode_stats(*stored);
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

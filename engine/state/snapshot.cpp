#include "engine/state/snapshot.h"

#include <cstring>

#include "engine/call/settings.h"
#include "engine/storage/key_codec.h"
#include "protocol/arn.h"

namespace stator {
namespace {

void append_u64(std::string& out, std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8)
    out.push_back(static_cast<char>((value >> shift) & 0xFF));
}

Error table_not_found(std::string_view name) {
  std::string message = "Requested resource not found: Table: ";
  return Error::resource_not_found(message.append(name).append(" not found"));
}

}  // namespace

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
  STATOR_TRY(const auto record, transaction_.find(storage::Database::Stats, stats_key(space)));
  if (!record) return SpaceStats{};
  return SpaceStats{decode_u64(record->substr(0, 8)), decode_u64(record->substr(8, 8))};
}

Result<std::int64_t> Snapshot::collection_size_bytes(const Table& table,
                                                     std::string_view partition) const {
  STATOR_TRY(const auto record, transaction_.find(storage::Database::Collections,
                                                  collection_key(table.space, partition)));
  return record ? decode_u64(*record) : 0;
}

std::string stats_key(storage::SpaceId space) {
  const auto number = static_cast<std::uint32_t>(space);
  std::string key;
  for (int shift = 24; shift >= 0; shift -= 8)
    key.push_back(static_cast<char>((number >> shift) & 0xFF));
  return key;
}

std::string collection_key(storage::SpaceId space, std::string_view partition) {
  storage::KeyBuffer key;
  storage::append_partition_prefix(key, space, partition);
  return std::string(key.view());
}

std::string encode_u64(std::int64_t value) {
  std::string bytes;
  append_u64(bytes, static_cast<std::uint64_t>(value));
  return bytes;
}

std::string encode_u64_pair(std::int64_t first, std::int64_t second) {
  return encode_u64(first) + encode_u64(second);
}

std::int64_t decode_u64(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return static_cast<std::int64_t>(value);
}

}  // namespace stator

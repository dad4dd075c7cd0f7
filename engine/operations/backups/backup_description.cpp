#include "engine/operations/backups/backup_description.h"

#include "engine/tables/key_schema.h"
#include "engine/tables/table_description.h"

namespace stator {
namespace {

void write_time(JsonWriter& out, std::string_view name, Timestamp time) {
  out.key(name);
  out.timestamp_ms(time.unix_ms());
}

void write_throughput(JsonWriter& out, const Throughput& throughput, BillingMode mode) {
  const Throughput shown = mode == BillingMode::PayPerRequest ? Throughput{} : throughput;
  out.key("ProvisionedThroughput");
  out.begin_object();
  out.member("ReadCapacityUnits", shown.read_units);
  out.member("WriteCapacityUnits", shown.write_units);
  out.end_object();
}

void write_source_table(JsonWriter& out, const Backup& backup) {
  const Table& table = backup.table;
  const BillingMode mode = table.settings.billing_mode;
  out.key("SourceTableDetails");
  out.begin_object();
  out.member("TableName", std::string_view(table.name));
  out.member("TableId", std::string_view(table.id));
  out.member("TableArn", std::string_view(table.arn()));
  out.member("TableSizeBytes", backup.size_bytes);
  write_key_schema(out, table.partition_key, table.sort_key);
  write_time(out, "TableCreationDateTime", table.created);
  write_throughput(out, table.settings.throughput, mode);
  write_on_demand(out, table.on_demand);
  out.member("ItemCount", backup.item_count);
  out.member("BillingMode", to_text(mode));
  out.end_object();
}

void write_local_indexes(JsonWriter& out, const Table& table) {
  if (table.local_indexes.empty()) return;
  out.key("LocalSecondaryIndexes");
  out.begin_array();
  for (const LocalIndex& index : table.local_indexes) {
    out.begin_object();
    out.member("IndexName", std::string_view(index.name));
    write_key_schema(out, index.partition_keys, index.sort_keys);
    write_projection(out, index.projection);
    out.end_object();
  }
  out.end_array();
}

void write_global_indexes(JsonWriter& out, const Table& table) {
  if (table.global_indexes.empty()) return;
  out.key("GlobalSecondaryIndexes");
  out.begin_array();
  for (const GlobalIndex& index : table.global_indexes) {
    out.begin_object();
    out.member("IndexName", std::string_view(index.name));
    write_key_schema(out, index.partition_keys, index.sort_keys);
    write_projection(out, index.projection);
    write_throughput(out, index.throughput, table.settings.billing_mode);
    write_on_demand(out, index.on_demand);
    out.end_object();
  }
  out.end_array();
}

// Only what is set; a backup of a deleted table has none of it.
void write_source_features(JsonWriter& out, const Backup& backup) {
  const Table& table = backup.table;
  out.key("SourceTableFeatureDetails");
  out.begin_object();
  if (backup.type == BackupType::User) {
    write_local_indexes(out, table);
    write_global_indexes(out, table);
    if (table.has_enabled_stream()) {
      out.key("StreamDescription");
      out.begin_object();
      out.member("StreamEnabled", true);
      out.member("StreamViewType", to_text(table.stream->view_type));
      out.end_object();
    }
    if (const TimeToLive* expiry = table.expiry()) {
      out.key("TimeToLiveDescription");
      out.begin_object();
      out.member("TimeToLiveStatus", "ENABLED");
      out.member("AttributeName", std::string_view(expiry->attribute_name));
      out.end_object();
    }
    if (table.encryption && !table.encryption->is_ending)
      write_encryption(out, *table.encryption, /*is_updating=*/false);
  }
  out.end_object();
}

}  // namespace

std::string_view backup_status(const Backup& backup, Timestamp now) {
  return backup.is_creating(now) ? "CREATING" : "AVAILABLE";
}

void write_backup_details(JsonWriter& out, const Backup& backup, std::string_view status) {
  out.key("BackupDetails");
  out.begin_object();
  out.member("BackupArn", std::string_view(backup.arn()));
  out.member("BackupName", std::string_view(backup.name));
  out.member("BackupSizeBytes", backup.size_bytes);
  out.member("BackupStatus", status);
  out.member("BackupType", to_text(backup.type));
  write_time(out, "BackupCreationDateTime", backup.created);
  if (backup.expires) write_time(out, "BackupExpiryDateTime", *backup.expires);
  out.end_object();
}

void write_backup_description(JsonWriter& out, const Backup& backup, std::string_view status) {
  out.key("BackupDescription");
  out.begin_object();
  write_backup_details(out, backup, status);
  write_source_table(out, backup);
  write_source_features(out, backup);
  out.end_object();
}

void write_backup_summary(JsonWriter& out, const Backup& backup, std::string_view status) {
  out.begin_object();
  out.member("TableName", std::string_view(backup.table.name));
  out.member("TableId", std::string_view(backup.table.id));
  out.member("TableArn", std::string_view(backup.table.arn()));
  out.member("BackupArn", std::string_view(backup.arn()));
  out.member("BackupName", std::string_view(backup.name));
  write_time(out, "BackupCreationDateTime", backup.created);
  if (backup.expires) write_time(out, "BackupExpiryDateTime", *backup.expires);
  out.member("BackupStatus", status);
  out.member("BackupType", to_text(backup.type));
  out.member("BackupSizeBytes", backup.size_bytes);
  out.end_object();
}

}  // namespace stator

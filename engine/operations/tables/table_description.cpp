#include "engine/operations/tables/table_description.h"

#include <span>

#include "engine/operations/tables/warm_throughput.h"
#include "protocol/arn.h"

namespace stator {
namespace {

void write_key_schema(JsonWriter& out, std::span<const KeyAttribute> partition_keys,
                      std::span<const KeyAttribute> sort_keys) {
  const auto element = [&](const KeyAttribute& key, std::string_view type) {
    out.begin_object();
    out.member("AttributeName", std::string_view(key.name));
    out.member("KeyType", type);
    out.end_object();
  };
  out.key("KeySchema");
  out.begin_array();
  for (const KeyAttribute& key : partition_keys) element(key, "HASH");
  for (const KeyAttribute& key : sort_keys) element(key, "RANGE");
  out.end_array();
}

void write_definitions(JsonWriter& out, const Table& table) {
  out.key("AttributeDefinitions");
  out.begin_array();
  for (const KeyAttribute& definition : table.attribute_definitions) {
    out.begin_object();
    out.member("AttributeName", std::string_view(definition.name));
    out.member("AttributeType", type_name(definition.type));
    out.end_object();
  }
  out.end_array();
}

void write_throughput(JsonWriter& out, const Throughput& throughput,
                      const ThroughputHistory& history, Timestamp now) {
  out.key("ProvisionedThroughput");
  out.begin_object();
  if (history.last_increase) {
    out.key("LastIncreaseDateTime");
    out.timestamp_ms(history.last_increase->unix_ms());
  }
  if (history.last_decrease) {
    out.key("LastDecreaseDateTime");
    out.timestamp_ms(history.last_decrease->unix_ms());
  }
  out.member("NumberOfDecreasesToday", history.decreases_on(now));
  out.member("ReadCapacityUnits", throughput.read_units);
  out.member("WriteCapacityUnits", throughput.write_units);
  out.end_object();
}

void write_on_demand(JsonWriter& out, const OnDemandThroughput& on_demand) {
  if (!on_demand.is_set()) return;
  out.key("OnDemandThroughput");
  out.begin_object();
  if (on_demand.max_read_units) out.member("MaxReadRequestUnits", *on_demand.max_read_units);
  if (on_demand.max_write_units) out.member("MaxWriteRequestUnits", *on_demand.max_write_units);
  out.end_object();
}

void write_warm(JsonWriter& out, const WarmThroughput& warm, TableStatus status) {
  out.key("WarmThroughput");
  out.begin_object();
  out.member("ReadUnitsPerSecond", warm.units.read_units);
  out.member("WriteUnitsPerSecond", warm.units.write_units);
  const bool is_updating = warm.is_updating || status == TableStatus::Creating;
  out.member("Status", is_updating ? "UPDATING" : "ACTIVE");
  out.end_object();
}

void write_projection(JsonWriter& out, const Projection& projection) {
  out.key("Projection");
  out.begin_object();
  out.member("ProjectionType", to_text(projection.type));
  if (!projection.non_key_attributes.empty()) {
    out.key("NonKeyAttributes");
    out.begin_array();
    for (const std::string& name : projection.non_key_attributes) out.string(name);
    out.end_array();
  }
  out.end_object();
}

// Members that local and global indexes share at the end.
Result<void> write_index_tail(JsonWriter& out, const Table& table, const std::string& name,
                              storage::SpaceId space, const Snapshot& snapshot) {
  STATOR_TRY(const SpaceStats stats, snapshot.stats(space));
  out.member("IndexSizeBytes", stats.size_bytes);
  out.member("ItemCount", stats.item_count);
  out.member("IndexArn", std::string_view(index_arn(table.arn(), name)));
  return {};
}

Result<void> write_local_indexes(JsonWriter& out, const Table& table, const Snapshot& snapshot) {
  if (table.local_indexes.empty()) return {};
  out.key("LocalSecondaryIndexes");
  out.begin_array();
  for (const LocalIndex& index : table.local_indexes) {
    out.begin_object();
    out.member("IndexName", std::string_view(index.name));
    write_key_schema(out, index.partition_keys, index.sort_keys);
    write_projection(out, index.projection);
    STATOR_CHECK(write_index_tail(out, table, index.name, index.space, snapshot));
    out.end_object();
  }
  out.end_array();
  return {};
}

TableStatus index_status(const GlobalIndex& index, const DescriptionView& view, Timestamp now) {
  if (view.status == TableStatus::Creating || view.status == TableStatus::Deleting)
    return view.status;
  if (index.deleting_until) return TableStatus::Deleting;
  if (index.build) return TableStatus::Creating;
  const bool is_changing =
      index.throughput_before && (view.shows_settings_before || now < index.updating_until);
  return is_changing ? TableStatus::Updating : TableStatus::Active;
}

Result<void> write_global_indexes(JsonWriter& out, const Table& table, const Snapshot& snapshot,
                                  const DescriptionView& view, BillingMode mode) {
  if (table.global_indexes.empty()) return {};
  out.key("GlobalSecondaryIndexes");
  out.begin_array();
  for (const GlobalIndex& index : table.global_indexes) {
    const bool is_new = index.build && index.name == view.changed_index;
    const TableStatus status = index_status(index, view, snapshot.now());
    Throughput throughput =
        status == TableStatus::Updating ? *index.throughput_before : index.throughput;
    if (mode == BillingMode::PayPerRequest) throughput = {};
    out.begin_object();
    out.member("IndexName", std::string_view(index.name));
    write_key_schema(out, index.partition_keys, index.sort_keys);
    write_projection(out, index.projection);
    out.member("IndexStatus", to_text(status));
    if (index.build) out.member("Backfilling", !is_new && index.is_backfilling(snapshot.now()));
    write_throughput(out, throughput, index.shown_history(snapshot.now()), snapshot.now());
    STATOR_CHECK(write_index_tail(out, table, index.name, index.space, snapshot));
    write_on_demand(out, index.on_demand);
    if (view.shows_warm) {
      write_warm(out, warm_throughput(table, &index, snapshot.now(), view.shows_settings_before),
                 view.status);
    }
    out.end_object();
  }
  out.end_array();
  return {};
}

void write_billing(JsonWriter& out, const ThroughputSettings& settings,
                   const DescriptionView& view) {
  if (!settings.shows_billing_mode) return;
  out.key("BillingModeSummary");
  out.begin_object();
  out.member("BillingMode", to_text(settings.billing_mode));
  if (settings.last_on_demand && view.shows_on_demand_date) {
    out.key("LastUpdateToPayPerRequestDateTime");
    out.timestamp_ms(settings.last_on_demand->unix_ms());
  }
  out.end_object();
}

void write_stream(JsonWriter& out, const Table& table) {
  if (!table.stream) return;
  // Of one that is disabled the name stays.
  if (table.stream->is_enabled) {
    out.key("StreamSpecification");
    out.begin_object();
    out.member("StreamEnabled", true);
    out.member("StreamViewType", to_text(table.stream->view_type));
    out.end_object();
  }
  out.member("LatestStreamLabel", std::string_view(table.stream->label));
  out.member("LatestStreamArn", std::string_view(stream_arn(table.arn(), table.stream->label)));
}

void write_encryption(JsonWriter& out, const Table& table, const DescriptionView& view,
                      Timestamp now) {
  if (!table.encryption) return;
  const bool is_updating = view.changes_encryption || now < table.encryption->updating_until;
  if (!is_updating && table.encryption->is_gone(now)) return;
  out.key("SSEDescription");
  out.begin_object();
  out.member("Status", is_updating ? "UPDATING" : "ENABLED");
  out.member("SSEType", "KMS");
  out.member("KMSMasterKeyArn", std::string_view(table.encryption->kms_key_arn));
  out.end_object();
}

void write_table_class(JsonWriter& out, const ThroughputSettings& settings) {
  if (!settings.shows_table_class) return;
  out.key("TableClassSummary");
  out.begin_object();
  out.member("TableClass", to_text(settings.table_class));
  if (settings.last_table_class) {
    out.key("LastUpdateDateTime");
    out.timestamp_ms(settings.last_table_class->unix_ms());
  }
  out.end_object();
}

Result<void> write_visible(JsonWriter& out, const Table& table, const Snapshot& snapshot,
                           const DescriptionView& view) {
  const Timestamp now = snapshot.now();
  const ThroughputSettings& settings = view.shows_settings_before && table.settings_before
                                           ? *table.settings_before
                                           : table.shown_settings(now);
  const bool on_demand = settings.billing_mode == BillingMode::PayPerRequest;
  STATOR_TRY(const SpaceStats stats, snapshot.stats(table.space));

  out.begin_object();
  if (view.shows_definitions) write_definitions(out, table);
  out.member("TableName", std::string_view(table.name));
  if (view.shows_definitions) write_key_schema(out, table.partition_key, table.sort_key);
  out.member("TableStatus", to_text(view.status));
  if (view.shows_definitions) {
    out.key("CreationDateTime");
    out.timestamp_ms(table.created.unix_ms());
  }
  write_throughput(out, on_demand ? Throughput{} : settings.throughput, settings.history, now);
  out.member("TableSizeBytes", stats.size_bytes);
  out.member("ItemCount", stats.item_count);
  out.member("TableArn", std::string_view(table.arn()));
  out.member("TableId", std::string_view(table.id));
  write_billing(out, settings, view);
  if (view.shows_indexes) {
    STATOR_CHECK(write_local_indexes(out, table, snapshot));
    STATOR_CHECK(write_global_indexes(out, table, snapshot, view, settings.billing_mode));
  }
  write_stream(out, table);
  write_encryption(out, table, view, now);
  write_table_class(out, settings);
  out.member("DeletionProtectionEnabled", table.deletion_protection);
  write_on_demand(out, table.on_demand);
  if (view.shows_warm) {
    write_warm(out, warm_throughput(table, nullptr, now, view.shows_settings_before), view.status);
  }
  out.end_object();
  return {};
}

}  // namespace

void write_key_schema(JsonWriter& out, const KeyAttribute& partition_key,
                      const std::optional<KeyAttribute>& sort_key) {
  const auto sort_keys = sort_key ? std::span(&*sort_key, 1) : std::span<const KeyAttribute>();
  write_key_schema(out, std::span(&partition_key, 1), sort_keys);
}

Result<void> write_table_description(JsonWriter& out, const Table& table, const Snapshot& snapshot,
                                     const DescriptionView& view) {
  const Timestamp now = snapshot.now();
  const GlobalIndex* changed = table.find_global_index(view.changed_index);
  const bool shows_gone = changed != nullptr && changed->status(now) == TableStatus::Gone;
  if (!table.has_gone_indexes(now) || shows_gone) return write_visible(out, table, snapshot, view);
  Table visible = table;
  visible.remove_gone_indexes(now);
  return write_visible(out, visible, snapshot, view);
}

}  // namespace stator

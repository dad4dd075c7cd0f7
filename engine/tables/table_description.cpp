#include "engine/tables/table_description.h"

#include "engine/tables/key_schema.h"
#include "engine/tables/warm_throughput.h"
#include "protocol/service/arn.h"

namespace stator {
namespace {

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

void write_warm(JsonWriter& out, const WarmThroughput& warm, TableStatus status) {
  out.key("WarmThroughput");
  out.begin_object();
  out.member("ReadUnitsPerSecond", warm.units.read_units);
  out.member("WriteUnitsPerSecond", warm.units.write_units);
  const bool is_updating = warm.is_updating || status == TableStatus::Creating;
  out.member("Status", is_updating ? "UPDATING" : "ACTIVE");
  out.end_object();
}

// Members at the end that local and global indexes share.
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

// Whether the last change of settings is to be described as under way.
bool is_changing(const Table& table, const DescriptionView& view, Timestamp now) {
  return table.settings_before && (view.shows_settings_before || now < table.updating_until);
}

bool is_changing(const GlobalIndex& index, const DescriptionView& view, Timestamp now) {
  return index.throughput_before && (view.shows_settings_before || now < index.updating_until);
}

bool switches_mode(const Table& table, const DescriptionView& view, Timestamp now) {
  return is_changing(table, view, now) &&
         table.settings_before->billing_mode != table.settings.billing_mode;
}

// A change of units or of the class shows the old settings until it is done, a switch of the
// billing mode the new ones at once (conformance/observed/capacity.md 5.4).
ThroughputSettings shown_settings(const Table& table, const DescriptionView& view, Timestamp now) {
  if (!is_changing(table, view, now)) return table.settings;
  if (!switches_mode(table, view, now)) return *table.settings_before;
  ThroughputSettings shown = table.settings;
  shown.history = table.settings_before->history;
  if (shown.billing_mode == BillingMode::PayPerRequest) shown.last_on_demand.reset();
  return shown;
}

Throughput shown_units(const Table& table, const GlobalIndex& index, const DescriptionView& view,
                       Timestamp now) {
  const bool shows_before = is_changing(index, view, now) && !switches_mode(table, view, now);
  return shows_before ? *index.throughput_before : index.throughput;
}

ThroughputHistory shown_history(const GlobalIndex& index, const DescriptionView& view,
                                Timestamp now) {
  ThroughputHistory shown = index.shown_history(now);
  if (!view.shows_settings_before || !index.throughput_before || now < index.updating_until)
    return shown;
  // A decrease that is done at once: the answer has the counter of before it.
  const Throughput& before = *index.throughput_before;
  const bool is_decrease = index.throughput.read_units < before.read_units ||
                           index.throughput.write_units < before.write_units;
  if (is_decrease && shown.last_decrease == now) --shown.decreases_today;
  return shown;
}

TableStatus index_status(const GlobalIndex& index, const DescriptionView& view, Timestamp now) {
  if (view.status == TableStatus::Creating || view.status == TableStatus::Deleting)
    return view.status;
  if (index.deleting_until) return TableStatus::Deleting;
  if (index.build) return TableStatus::Creating;
  return is_changing(index, view, now) ? TableStatus::Updating : TableStatus::Active;
}

Result<void> write_global_indexes(JsonWriter& out, const Table& table, const Snapshot& snapshot,
                                  const DescriptionView& view, BillingMode mode) {
  if (table.global_indexes.empty()) return {};
  out.key("GlobalSecondaryIndexes");
  out.begin_array();
  for (const GlobalIndex& index : table.global_indexes) {
    const bool is_new = index.build && index.name == view.changed_index;
    const Timestamp now = snapshot.now();
    const TableStatus status = index_status(index, view, now);
    const Throughput units =
        mode == BillingMode::PayPerRequest ? Throughput{} : shown_units(table, index, view, now);
    out.begin_object();
    out.member("IndexName", std::string_view(index.name));
    write_key_schema(out, index.partition_keys, index.sort_keys);
    write_projection(out, index.projection);
    out.member("IndexStatus", to_text(status));
    if (index.build) out.member("Backfilling", !is_new && index.is_backfilling(now));
    write_throughput(out, units, shown_history(index, view, now), now);
    STATOR_CHECK(write_index_tail(out, table, index.name, index.space, snapshot));
    write_on_demand(out, index.on_demand);
    if (view.shows_warm) {
      write_warm(out, warm_throughput(table, &index, now, view.shows_settings_before), view.status);
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
  // The name remains after disabling.
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

void write_shown_encryption(JsonWriter& out, const Table& table, const DescriptionView& view,
                            Timestamp now) {
  if (!table.encryption) return;
  const bool is_updating = view.changes_encryption || now < table.encryption->updating_until;
  if (is_updating || !table.encryption->is_gone(now))
    write_encryption(out, *table.encryption, is_updating);
}

// Of a table that is being restored.
void write_restore(JsonWriter& out, const Table& table) {
  if (!table.restore) return;
  out.key("RestoreSummary");
  out.begin_object();
  const Restore& restore = *table.restore;
  if (!restore.backup_arn.empty())
    out.member("SourceBackupArn", std::string_view(restore.backup_arn));
  out.member("SourceTableArn", std::string_view(restore.table_arn));
  out.key("RestoreDateTime");
  out.timestamp_ms(restore.moment.unix_ms());
  out.member("RestoreInProgress", true);
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
  const ThroughputSettings settings = shown_settings(table, view, now);
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
  write_restore(out, table);
  write_shown_encryption(out, table, view, now);
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

void write_on_demand(JsonWriter& out, const OnDemandThroughput& on_demand) {
  if (!on_demand.is_set()) return;
  out.key("OnDemandThroughput");
  out.begin_object();
  if (on_demand.max_read_units) out.member("MaxReadRequestUnits", *on_demand.max_read_units);
  if (on_demand.max_write_units) out.member("MaxWriteRequestUnits", *on_demand.max_write_units);
  out.end_object();
}

void write_encryption(JsonWriter& out, const Encryption& encryption, bool is_updating) {
  out.key("SSEDescription");
  out.begin_object();
  out.member("Status", is_updating ? "UPDATING" : "ENABLED");
  out.member("SSEType", "KMS");
  out.member("KMSMasterKeyArn", std::string_view(encryption.kms_key_arn));
  out.end_object();
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

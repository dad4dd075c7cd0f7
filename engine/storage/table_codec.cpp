// Tables as JSON text. Members are only ever added; an absent member has its default. Enumerations
// are stored by their wire names.
#include "engine/storage/table_codec.h"

#include <array>

#include "engine/storage/field_reader.h"
#include "protocol/arena.h"
#include "protocol/base64.h"
#include "protocol/json_reader.h"
#include "protocol/json_writer.h"

namespace stator {
namespace {

using storage::FieldReader;

// ---- writing ----

void write_time(JsonWriter& out, std::string_view name, Timestamp time) {
  if (time.unix_us != 0) out.member(name, time.unix_us);
}

void write_time(JsonWriter& out, std::string_view name, const std::optional<Timestamp>& time) {
  if (time) out.member(name, time->unix_us);
}

// Bytes of any kind, which JSON strings cannot hold.
void write_bytes(JsonWriter& out, std::string_view name, std::string_view bytes) {
  std::string text;
  append_base64(text, bytes);
  out.member(name, std::string_view(text));
}

void write_key(JsonWriter& out, const KeyAttribute& key) {
  out.begin_object();
  out.member("name", std::string_view(key.name));
  out.member("type", type_name(key.type));
  out.end_object();
}

void write_keys(JsonWriter& out, std::string_view name, const std::vector<KeyAttribute>& keys) {
  out.key(name);
  out.begin_array();
  for (const KeyAttribute& key : keys) write_key(out, key);
  out.end_array();
}

void write_throughput(JsonWriter& out, std::string_view name, const Throughput& throughput) {
  out.key(name);
  out.begin_object();
  out.member("read", throughput.read_units);
  out.member("write", throughput.write_units);
  out.end_object();
}

void write_history(JsonWriter& out, const ThroughputHistory& history) {
  out.key("history");
  out.begin_object();
  write_time(out, "last_increase", history.last_increase);
  write_time(out, "last_decrease", history.last_decrease);
  out.member("decreases_today", history.decreases_today);
  out.end_object();
}

void write_on_demand(JsonWriter& out, const OnDemandThroughput& on_demand) {
  if (on_demand.max_read_units) out.member("on_demand_read_max", *on_demand.max_read_units);
  if (on_demand.max_write_units) out.member("on_demand_write_max", *on_demand.max_write_units);
}

void write_settings(JsonWriter& out, std::string_view name, const ThroughputSettings& settings) {
  out.key(name);
  out.begin_object();
  out.member("billing_mode", to_text(settings.billing_mode));
  out.member("shows_billing_mode", settings.shows_billing_mode);
  write_time(out, "last_on_demand", settings.last_on_demand);
  write_throughput(out, "throughput", settings.throughput);
  write_history(out, settings.history);
  out.member("table_class", to_text(settings.table_class));
  out.member("shows_table_class", settings.shows_table_class);
  write_time(out, "last_table_class", settings.last_table_class);
  out.end_object();
}

template <class Index>
void write_index_head(JsonWriter& out, const Index& index) {
  out.member("name", std::string_view(index.name));
  out.member("space", static_cast<std::int64_t>(index.space));
  write_keys(out, "partition_keys", index.partition_keys);
  write_keys(out, "sort_keys", index.sort_keys);
  out.member("projection", to_text(index.projection.type));
  out.key("non_key_attributes");
  out.begin_array();
  for (const std::string& name : index.projection.non_key_attributes) out.string(name);
  out.end_array();
}

void write_build(JsonWriter& out, const std::optional<IndexBuild>& build) {
  if (!build) return;
  out.key("build");
  out.begin_object();
  write_time(out, "allocating_until", build->allocating_until);
  write_bytes(out, "done_partition", build->done_partition);
  write_bytes(out, "done_sort", build->done_sort);
  out.end_object();
}

void write_insights(JsonWriter& out, const std::optional<ContributorInsights>& insights) {
  if (!insights) return;
  out.key("insights");
  out.begin_object();
  out.member("is_enabled", insights->is_enabled);
  out.member("mode", to_text(insights->mode));
  write_time(out, "changed", insights->changed);
  write_time(out, "changing_until", insights->changing_until);
  out.end_object();
}

void write_indexes(JsonWriter& out, const Table& table) {
  out.key("local_indexes");
  out.begin_array();
  for (const LocalIndex& index : table.local_indexes) {
    out.begin_object();
    write_index_head(out, index);
    out.end_object();
  }
  out.end_array();
  out.key("global_indexes");
  out.begin_array();
  for (const GlobalIndex& index : table.global_indexes) {
    out.begin_object();
    write_index_head(out, index);
    write_throughput(out, "throughput", index.throughput);
    if (index.throughput_before)
      write_throughput(out, "throughput_before", *index.throughput_before);
    write_history(out, index.history);
    write_time(out, "updating_until", index.updating_until);
    write_on_demand(out, index.on_demand);
    write_throughput(out, "warm", index.warm);
    if (index.warm_to) {
      write_throughput(out, "warm_to", *index.warm_to);
      write_time(out, "warm_updating_until", index.warm_updating_until);
    }
    write_insights(out, index.insights);
    write_build(out, index.build);
    write_time(out, "deleting_until", index.deleting_until);
    out.end_object();
  }
  out.end_array();
}

void write_time_to_live(JsonWriter& out, const std::optional<TimeToLive>& time_to_live) {
  if (!time_to_live) return;
  out.key("time_to_live");
  out.begin_object();
  out.member("is_enabled", time_to_live->is_enabled);
  out.member("attribute_name", std::string_view(time_to_live->attribute_name));
  write_time(out, "changed", time_to_live->changed);
  write_time(out, "changing_until", time_to_live->changing_until);
  out.member("space", static_cast<std::int64_t>(time_to_live->space));
  if (time_to_live->build) {
    out.key("build");
    out.begin_object();
    write_bytes(out, "done_partition", time_to_live->build->done_partition);
    write_bytes(out, "done_sort", time_to_live->build->done_sort);
    out.end_object();
  }
  out.end_object();
}

void write_state(JsonWriter& out, const Table& table) {
  write_settings(out, "settings", table.settings);
  if (table.settings_before) write_settings(out, "settings_before", *table.settings_before);
  write_on_demand(out, table.on_demand);
  write_throughput(out, "warm", table.warm);
  if (table.warm_to) write_throughput(out, "warm_to", *table.warm_to);
  write_time(out, "warm_updating_until", table.warm_updating_until);
  out.member("deletion_protection", table.deletion_protection);
  if (table.stream) {
    out.member("stream_view_type", to_text(table.stream->view_type));
    out.member("stream_label", std::string_view(table.stream->label));
    out.member("stream_number", static_cast<std::int64_t>(table.stream->number));
    write_time(out, "stream_changing_until", table.stream->changing_until);
    if (!table.stream->is_enabled) out.member("stream_is_disabled", true);
  }
  if (table.encryption) {
    out.member("kms_key_arn", std::string_view(table.encryption->kms_key_arn));
    write_time(out, "encryption_updating_until", table.encryption->updating_until);
    if (table.encryption->is_ending) out.member("encryption_is_ending", true);
  }
  write_time_to_live(out, table.time_to_live);
  write_insights(out, table.insights);
  out.key("tags");
  out.begin_array();
  for (const auto& [key, value] : table.tags) {
    out.begin_object();
    out.member("key", std::string_view(key));
    out.member("value", std::string_view(value));
    out.end_object();
  }
  out.end_array();
  write_time(out, "creating_until", table.creating_until);
  write_time(out, "updating_until", table.updating_until);
  write_time(out, "deleting_until", table.deleting_until);
}

// ---- reading ----

constexpr std::array kBillingModes{BillingMode::Provisioned, BillingMode::PayPerRequest};
constexpr std::array kTableClasses{TableClass::Standard, TableClass::StandardInfrequentAccess};
constexpr std::array kProjectionTypes{ProjectionType::All, ProjectionType::KeysOnly,
                                      ProjectionType::Include};
constexpr std::array kStreamViewTypes{StreamViewType::KeysOnly, StreamViewType::NewImage,
                                      StreamViewType::OldImage, StreamViewType::NewAndOldImages};

constexpr std::array kInsightsModes{ContributorInsightsMode::AccessedAndThrottledKeys,
                                    ContributorInsightsMode::ThrottledKeys};

KeyAttribute read_key(FieldReader& in, const JsonNode& node) {
  KeyAttribute key;
  key.name = in.text(node, "name");
  const std::string type = in.text(node, "type");
  if (type == "S") {
    key.type = Type::S;
  } else if (type == "N") {
    key.type = Type::N;
  } else if (type == "B") {
    key.type = Type::B;
  } else {
    in.failed = true;
  }
  return key;
}

std::vector<KeyAttribute> read_keys(FieldReader& in, const JsonNode& node, std::string_view name) {
  std::vector<KeyAttribute> keys;
  for (const JsonNode& element : in.list(node, name)) keys.push_back(read_key(in, element));
  return keys;
}

Throughput read_throughput(FieldReader& in, const JsonNode& node, std::string_view name) {
  const JsonNode& object = in.object(node, name);
  return {in.integer(object, "read", 0), in.integer(object, "write", 0)};
}

ThroughputHistory read_history(FieldReader& in, const JsonNode& node) {
  const JsonNode& object = in.object(node, "history");
  return {in.optional_time(object, "last_increase"), in.optional_time(object, "last_decrease"),
          in.integer(object, "decreases_today", 0)};
}

OnDemandThroughput read_on_demand(FieldReader& in, const JsonNode& node) {
  OnDemandThroughput on_demand;
  if (node.find("on_demand_read_max") != nullptr)
    on_demand.max_read_units = in.integer(node, "on_demand_read_max", 0);
  if (node.find("on_demand_write_max") != nullptr) {
    on_demand.max_write_units = in.integer(node, "on_demand_write_max", 0);
  }
  return on_demand;
}

ThroughputSettings read_settings(FieldReader& in, const JsonNode& node, std::string_view name) {
  const JsonNode& object = in.object(node, name);
  ThroughputSettings settings;
  settings.billing_mode = in.enumerator(object, "billing_mode", kBillingModes);
  settings.shows_billing_mode = in.truth(object, "shows_billing_mode");
  settings.last_on_demand = in.optional_time(object, "last_on_demand");
  settings.throughput = read_throughput(in, object, "throughput");
  settings.history = read_history(in, object);
  settings.table_class = in.enumerator(object, "table_class", kTableClasses);
  settings.shows_table_class = in.truth(object, "shows_table_class");
  settings.last_table_class = in.optional_time(object, "last_table_class");
  return settings;
}

template <class Index>
Index read_index_head(FieldReader& in, const JsonNode& node) {
  Index index;
  index.name = in.text(node, "name");
  index.space = storage::SpaceId{static_cast<std::uint32_t>(in.integer(node, "space", 0))};
  index.partition_keys = read_keys(in, node, "partition_keys");
  index.sort_keys = read_keys(in, node, "sort_keys");
  index.projection.type = in.enumerator(node, "projection", kProjectionTypes);
  for (const JsonNode& name : in.list(node, "non_key_attributes")) {
    index.projection.non_key_attributes.emplace_back(name.text());
  }
  return index;
}

std::optional<IndexBuild> read_build(FieldReader& in, const JsonNode& node) {
  if (node.find("build") == nullptr) return std::nullopt;
  const JsonNode& object = in.object(node, "build");
  return IndexBuild{in.time(object, "allocating_until"), in.bytes(object, "done_partition"),
                    in.bytes(object, "done_sort")};
}

std::optional<ContributorInsights> read_insights(FieldReader& in, const JsonNode& node) {
  if (node.find("insights") == nullptr) return std::nullopt;
  const JsonNode& object = in.object(node, "insights");
  return ContributorInsights{in.truth(object, "is_enabled"),
                             in.enumerator(object, "mode", kInsightsModes),
                             in.time(object, "changed"), in.time(object, "changing_until")};
}

std::optional<TimeToLive> read_time_to_live(FieldReader& in, const JsonNode& node) {
  if (node.find("time_to_live") == nullptr) return std::nullopt;
  const JsonNode& object = in.object(node, "time_to_live");
  TimeToLive time_to_live;
  time_to_live.is_enabled = in.truth(object, "is_enabled");
  time_to_live.attribute_name = in.text(object, "attribute_name");
  time_to_live.changed = in.time(object, "changed");
  time_to_live.changing_until = in.time(object, "changing_until");
  time_to_live.space = storage::SpaceId{static_cast<std::uint32_t>(in.integer(object, "space", 0))};
  if (object.find("build") != nullptr) {
    const JsonNode& build = in.object(object, "build");
    time_to_live.build =
        ExpiryBuild{in.bytes(build, "done_partition"), in.bytes(build, "done_sort")};
  }
  return time_to_live;
}

void read_state(FieldReader& in, const JsonNode& node, Table& table) {
  table.settings = read_settings(in, node, "settings");
  if (node.find("settings_before") != nullptr)
    table.settings_before = read_settings(in, node, "settings_before");
  table.on_demand = read_on_demand(in, node);
  table.warm = read_throughput(in, node, "warm");
  if (node.find("warm_to") != nullptr) table.warm_to = read_throughput(in, node, "warm_to");
  table.warm_updating_until = in.time(node, "warm_updating_until");
  table.deletion_protection = in.truth(node, "deletion_protection");
  if (node.find("stream_label") != nullptr) {
    table.stream =
        StreamSettings{in.enumerator(node, "stream_view_type", kStreamViewTypes),
                       in.text(node, "stream_label"), node.find("stream_is_disabled") == nullptr,
                       static_cast<std::uint64_t>(in.integer(node, "stream_number", 0)),
                       in.time(node, "stream_changing_until")};
  }
  if (node.find("kms_key_arn") != nullptr) {
    table.encryption =
        Encryption{in.text(node, "kms_key_arn"), in.time(node, "encryption_updating_until"),
                   node.find("encryption_is_ending") != nullptr};
  }
  table.time_to_live = read_time_to_live(in, node);
  table.insights = read_insights(in, node);
  for (const JsonNode& tag : in.list(node, "tags"))
    table.tags.emplace_back(in.text(tag, "key"), in.text(tag, "value"));
  table.creating_until = in.time(node, "creating_until");
  table.updating_until = in.time(node, "updating_until");
  table.deleting_until = in.optional_time(node, "deleting_until");
}

void read_indexes(FieldReader& in, const JsonNode& node, Table& table) {
  for (const JsonNode& element : in.list(node, "local_indexes")) {
    table.local_indexes.push_back(read_index_head<LocalIndex>(in, element));
  }
  for (const JsonNode& element : in.list(node, "global_indexes")) {
    GlobalIndex index = read_index_head<GlobalIndex>(in, element);
    index.throughput = read_throughput(in, element, "throughput");
    if (element.find("throughput_before") != nullptr) {
      index.throughput_before = read_throughput(in, element, "throughput_before");
    }
    index.history = read_history(in, element);
    index.updating_until = in.time(element, "updating_until");
    index.on_demand = read_on_demand(in, element);
    index.warm = read_throughput(in, element, "warm");
    if (element.find("warm_to") != nullptr) {
      index.warm_to = read_throughput(in, element, "warm_to");
      index.warm_updating_until = in.time(element, "warm_updating_until");
    }
    index.insights = read_insights(in, element);
    index.build = read_build(in, element);
    index.deleting_until = in.optional_time(element, "deleting_until");
    table.global_indexes.push_back(std::move(index));
  }
}

}  // namespace

std::string encode_table(const Table& table) {
  std::string text;
  JsonWriter out(text);
  out.begin_object();
  out.member("scope", std::string_view(table.scope));
  out.member("name", std::string_view(table.name));
  out.member("region", std::string_view(table.region));
  out.member("account_id", std::string_view(table.account_id));
  out.member("id", std::string_view(table.id));
  out.member("space", static_cast<std::int64_t>(table.space));
  write_time(out, "created", table.created);
  write_keys(out, "attribute_definitions", table.attribute_definitions);
  out.key("partition_key");
  write_key(out, table.partition_key);
  if (table.sort_key) {
    out.key("sort_key");
    write_key(out, *table.sort_key);
  }
  write_indexes(out, table);
  write_state(out, table);
  out.end_object();
  return text;
}

std::optional<Table> decode_table(std::string text) {
  Arena arena;
  const auto root = read_json(text, arena);
  if (!root || root->kind() != JsonNode::Kind::Object) return std::nullopt;
  FieldReader in;
  Table table;
  table.scope = in.text(*root, "scope");
  table.name = in.text(*root, "name");
  table.region = in.text(*root, "region");
  table.account_id = in.text(*root, "account_id");
  table.id = in.text(*root, "id");
  table.space = storage::SpaceId{static_cast<std::uint32_t>(in.integer(*root, "space", 0))};
  table.created = in.time(*root, "created");
  table.attribute_definitions = read_keys(in, *root, "attribute_definitions");
  table.partition_key = read_key(in, in.object(*root, "partition_key"));
  if (const JsonNode* sort_key = root->find("sort_key")) table.sort_key = read_key(in, *sort_key);
  read_indexes(in, *root, table);
  read_state(in, *root, table);
  if (in.failed) return std::nullopt;
  return table;
}

}  // namespace stator

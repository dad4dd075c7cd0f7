// Table: everything the service knows of one table but its items. Immutable once it is in the
// catalog: a change makes a new Table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/clock.h"
#include "engine/storage/item_store.h"
#include "protocol/value.h"

namespace stator {

enum class BillingMode : std::uint8_t { Provisioned, PayPerRequest };
enum class TableClass : std::uint8_t { Standard, StandardInfrequentAccess };
enum class TableStatus : std::uint8_t { Creating, Updating, Active, Deleting, Gone };
enum class ProjectionType : std::uint8_t { All, KeysOnly, Include };

// Names on the wire.
std::string_view to_text(BillingMode mode);
std::string_view to_text(TableClass table_class);
std::string_view to_text(TableStatus status);
std::string_view to_text(ProjectionType type);

struct KeyAttribute {
  std::string name;
  Type type = Type::S;  // S, N or B
};

// Units a second, as provisioned; zero in on-demand mode.
struct Throughput {
  std::int64_t read_units = 0;
  std::int64_t write_units = 0;

  bool operator==(const Throughput&) const = default;
};

// What DescribeTable tells of earlier changes of provisioned throughput.
struct ThroughputHistory {
  std::optional<Timestamp> last_increase;
  std::optional<Timestamp> last_decrease;
  std::int64_t decreases_today = 0;  // of the UTC day of last_decrease

  // Decreases so far on the UTC day of `now`.
  std::int64_t decreases_on(Timestamp now) const;
};

// Ceilings of on-demand mode.
struct OnDemandThroughput {
  std::optional<std::int64_t> max_read_units;
  std::optional<std::int64_t> max_write_units;

  bool is_set() const { return max_read_units || max_write_units; }
};

// The settings UpdateTable changes asynchronously: while the table is UPDATING, the old ones are
// shown.
struct ThroughputSettings {
  BillingMode billing_mode = BillingMode::Provisioned;
  // The mode was chosen at least once by name; tables created PROVISIONED show no
  // BillingModeSummary until then.
  bool shows_billing_mode = false;
  std::optional<Timestamp> last_on_demand;  // when PAY_PER_REQUEST was last chosen
  Throughput throughput;
  ThroughputHistory history;
  TableClass table_class = TableClass::Standard;
  bool shows_table_class = false;
  std::optional<Timestamp> last_table_class;
};

struct Projection {
  ProjectionType type = ProjectionType::All;
  std::vector<std::string> non_key_attributes;  // Include only
};

struct LocalIndex {
  std::string name;
  storage::SpaceId space{};
  std::vector<KeyAttribute> partition_keys;  // one: the table's
  std::vector<KeyAttribute> sort_keys;       // one
  Projection projection;
};

struct GlobalIndex {
  std::string name;
  storage::SpaceId space{};
  std::vector<KeyAttribute> partition_keys;  // one to four
  std::vector<KeyAttribute> sort_keys;       // none to four
  Projection projection;

  Throughput throughput;
  std::optional<Throughput> throughput_before;  // shown until updating_until
  ThroughputHistory history;
  Timestamp updating_until;
  OnDemandThroughput on_demand;
  Throughput warm;
};

enum class StreamViewType : std::uint8_t { KeysOnly, NewImage, OldImage, NewAndOldImages };
std::string_view to_text(StreamViewType type);

struct StreamSettings {
  StreamViewType view_type = StreamViewType::KeysOnly;
  std::string label;  // 2026-11-20T21:04:05.123
};

struct Encryption {
  std::string kms_key_arn;
  Timestamp updating_until;
};

struct Table {
  std::string scope;  // which requests see it (Isolation)
  std::string name;
  std::string region;
  std::string account_id;
  std::string id;  // UUID
  storage::SpaceId space{};
  Timestamp created;

  std::vector<KeyAttribute> attribute_definitions;  // as sent
  KeyAttribute partition_key;
  std::optional<KeyAttribute> sort_key;
  std::vector<LocalIndex> local_indexes;
  std::vector<GlobalIndex> global_indexes;

  ThroughputSettings settings;
  std::optional<ThroughputSettings> settings_before;  // shown until updating_until
  OnDemandThroughput on_demand;
  Throughput warm;
  Timestamp warm_updating_until;
  bool deletion_protection = false;
  std::optional<StreamSettings> stream;
  std::optional<Encryption> encryption;
  std::vector<std::pair<std::string, std::string>> tags;  // in the order they were first set

  Timestamp creating_until;
  Timestamp updating_until;
  std::optional<Timestamp> deleting_until;

  TableStatus status(Timestamp now) const {
    if (deleting_until) return now < *deleting_until ? TableStatus::Deleting : TableStatus::Gone;
    if (now < creating_until) return TableStatus::Creating;
    return now < updating_until ? TableStatus::Updating : TableStatus::Active;
  }
  // The settings to show at `now`.
  const ThroughputSettings& shown_settings(Timestamp now) const {
    return settings_before && now < updating_until ? *settings_before : settings;
  }
  bool has_indexes() const { return !local_indexes.empty() || !global_indexes.empty(); }
  const GlobalIndex* find_global_index(std::string_view index_name) const;
  std::string arn() const;
};

// The table as kept in the Tables database: JSON, so that members can be added without a new
// format.
std::string encode_table(const Table& table);
// Empty when the text is not such a table (a damaged or foreign file).
std::optional<Table> decode_table(std::string text);

}  // namespace stator

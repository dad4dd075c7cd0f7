// Table: everything the service knows of one table but its items. Immutable once it is in the
// catalog: a change makes a new Table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/schema/runtime.h"
#include "engine/schema/space.h"
#include "engine/seams/clock.h"
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

// What contributor insights tell of.
enum class ContributorInsightsMode : std::uint8_t { AccessedAndThrottledKeys, ThrottledKeys };
std::string_view to_text(ContributorInsightsMode mode);

struct KeyAttribute {
  std::string name;
  Type type = Type::S;  // S, N or B
};

// Whether the attribute is one of the keys.
bool is_one_of(std::span<const KeyAttribute> keys, std::string_view name_of_attribute);

// Units a second, as provisioned; zero in on-demand mode.
struct Throughput {
  std::int64_t read_units = 0;
  std::int64_t write_units = 0;

  bool operator==(const Throughput&) const = default;
};

// Of each dimension the larger one.
Throughput highest(const Throughput& a, const Throughput& b);
// What can be served at once by what is set so, whatever it was before.
Throughput warm_at_least(BillingMode mode, const Throughput& provisioned);

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

// What UpdateContributorInsights has made of a table or a global index.
struct ContributorInsights {
  bool is_enabled = false;
  ContributorInsightsMode mode = ContributorInsightsMode::AccessedAndThrottledKeys;
  Timestamp changed;
  Timestamp changing_until;  // until then ENABLING or DISABLING

  bool is_disabled(Timestamp now) const { return !is_enabled && now >= changing_until; }
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

// How far an index that UpdateTable adds has come (engine/indexes/backfill.h).
struct IndexBuild {
  // Until then resources are allocated: the table is UPDATING and the backfill waits.
  Timestamp allocating_until;
  // Key of the last item of the table that was looked at, as ordered bytes, in the order of the
  // store; an empty partition stands before all items.
  std::string done_partition;
  std::string done_sort;
};

struct GlobalIndex {
  std::string name;
  storage::SpaceId space{};
  std::shared_ptr<Runtime> runtime;          // in the catalog: not null
  std::vector<KeyAttribute> partition_keys;  // one to four
  std::vector<KeyAttribute> sort_keys;       // none to four
  Projection projection;

  Throughput throughput;
  std::optional<Throughput> throughput_before;  // shown until updating_until
  ThroughputHistory history;
  Timestamp updating_until;
  OnDemandThroughput on_demand;
  Throughput warm;  // as a table's
  std::optional<Throughput> warm_to;
  Timestamp warm_updating_until;
  std::optional<ContributorInsights> insights;  // empty: never changed

  // The history to show at `now`: an increase counts when it is asked for and when it is finished.
  ThroughputHistory shown_history(Timestamp now) const;

  std::optional<IndexBuild> build;          // while it is being added
  std::optional<Timestamp> deleting_until;  // while it is being removed

  // Gone when the time in DELETING is over: invisible, though not yet taken out of the table.
  TableStatus status(Timestamp now) const {
    if (deleting_until) return now < *deleting_until ? TableStatus::Deleting : TableStatus::Gone;
    if (build) return TableStatus::Creating;
    return now < updating_until ? TableStatus::Updating : TableStatus::Active;
  }
  bool is_allocating(Timestamp now) const {
    return build && !deleting_until && now < build->allocating_until;
  }
  // As DescribeTable tells it: CREATING behind the allocation of resources.
  bool is_backfilling(Timestamp now) const {
    return build && !deleting_until && now >= build->allocating_until;
  }
  // Complete and not on its way out: it can be queried, and items that violate its keys are
  // refused.
  bool is_active() const { return !build && !deleting_until; }
};

enum class StreamViewType : std::uint8_t { KeysOnly, NewImage, OldImage, NewAndOldImages };
std::string_view to_text(StreamViewType type);

// The latest stream of a table, as the table tells of it (engine/schema/stream.h has the rest).
struct StreamSettings {
  StreamViewType view_type = StreamViewType::KeysOnly;
  std::string label;         // 2026-11-20T21:04:05.123
  bool is_enabled = true;    // changes of items are recorded
  std::uint64_t number = 0;  // the stream's; zero until the engine has opened it
  Timestamp changing_until;  // ENABLING, or DISABLING, until then
};

// How far the entries of the items have come that were there when time to live was enabled: the key
// of the last one looked at, as in IndexBuild.
struct ExpiryBuild {
  std::string done_partition;
  std::string done_sort;
};

// What UpdateTimeToLive has made of a table.
struct TimeToLive {
  bool is_enabled = false;
  std::string attribute_name;  // as the last change named it
  Timestamp changed;
  Timestamp changing_until;  // until then ENABLING or DISABLING
  // Of the entries (engine/storage/expiries.h) while enabled: another one each time, so that what
  // an earlier enabling left cannot be mistaken for this one's.
  storage::SpaceId space{};
  std::optional<ExpiryBuild> build;  // while entries are made for the items that were there
};

struct Encryption {
  std::string kms_key_arn;
  Timestamp updating_until;
  bool is_ending = false;  // shown until updating_until, then gone

  bool is_gone(Timestamp now) const { return is_ending && now >= updating_until; }
};

struct Table {
  std::string scope;  // which requests see it (Isolation)
  std::string name;
  std::string region;
  std::string account_id;
  std::string id;  // UUID
  storage::SpaceId space{};
  std::shared_ptr<Runtime> runtime;  // in the catalog: not null
  Timestamp created;

  std::vector<KeyAttribute> attribute_definitions;  // as sent
  KeyAttribute partition_key;
  std::optional<KeyAttribute> sort_key;
  std::vector<LocalIndex> local_indexes;
  std::vector<GlobalIndex> global_indexes;

  ThroughputSettings settings;
  std::optional<ThroughputSettings> settings_before;  // shown until updating_until
  OnDemandThroughput on_demand;
  // What it can serve at once, apart from what its settings imply; and what it is being raised to,
  // until the time or until its throughput's state has it.
  Throughput warm;
  std::optional<Throughput> warm_to;
  Timestamp warm_updating_until;
  bool deletion_protection = false;
  std::optional<StreamSettings> stream;  // the latest; stays when it is disabled
  std::optional<Encryption> encryption;
  std::optional<TimeToLive> time_to_live;                 // empty: never changed
  std::optional<ContributorInsights> insights;            // empty: never changed
  std::vector<std::pair<std::string, std::string>> tags;  // in the order they were first set

  Timestamp creating_until;
  Timestamp updating_until;
  std::optional<Timestamp> deleting_until;

  TableStatus status(Timestamp now) const {
    if (deleting_until) return now < *deleting_until ? TableStatus::Deleting : TableStatus::Gone;
    if (now < creating_until) return TableStatus::Creating;
    const bool is_updating = now < updating_until || changes_indexes(now) || changes_stream(now);
    return is_updating ? TableStatus::Updating : TableStatus::Active;
  }
  // The settings to show at `now`.
  const ThroughputSettings& shown_settings(Timestamp now) const {
    return settings_before && now < updating_until ? *settings_before : settings;
  }
  // Time to live while it is enabled, or nullptr.
  const TimeToLive* expiry() const {
    return time_to_live && time_to_live->is_enabled ? &*time_to_live : nullptr;
  }
  bool has_indexes() const { return !local_indexes.empty() || !global_indexes.empty(); }
  // Whether a global index makes the table UPDATING: its resources are allocated or taken away.
  bool changes_indexes(Timestamp now) const;
  // The index of that name, in whatever status, or nullptr; one that is Gone at `now` is not found.
  const GlobalIndex* find_global_index(std::string_view index_name) const;
  const GlobalIndex* find_global_index(std::string_view index_name, Timestamp now) const;
  const GlobalIndex* find_global_index(storage::SpaceId space_of_index) const;
  bool has_gone_indexes(Timestamp now) const;
  // Takes out indexes that are Gone at `now`, and the attribute definitions that no key uses any
  // more.
  void remove_gone_indexes(Timestamp now);
  bool has_enabled_stream() const { return stream && stream->is_enabled; }
  bool changes_stream(Timestamp now) const { return stream && now < stream->changing_until; }
  // Whether the attribute is a key of the table itself.
  bool is_key(std::string_view name_of_attribute) const;
  // Whether the attribute is a partition key of the table or of an index.
  bool is_partition_key(std::string_view name_of_attribute) const;
  // Makes the runtimes that the table or its indexes have not got yet.
  void begin_runtimes();
  std::string arn() const;
};

}  // namespace stator

// Table: the description of one table, without its items. Immutable once it is in the catalog: a
// change makes a new Table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/schema/kinesis.h"
#include "engine/schema/runtime.h"
#include "engine/schema/space.h"
#include "engine/seams/clock.h"
#include "protocol/values/value.h"

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

// Which keys contributor insights report.
enum class ContributorInsightsMode : std::uint8_t { AccessedAndThrottledKeys, ThrottledKeys };
std::string_view to_text(ContributorInsightsMode mode);

struct KeyAttribute {
  std::string name;
  Type type = Type::S;  // S, N or B
};

// Whether the attribute is one of the keys.
bool is_one_of(std::span<const KeyAttribute> keys, std::string_view name_of_attribute);
std::vector<Type> types_of(std::span<const KeyAttribute> keys);

// Provisioned units per second; zero in on-demand mode.
struct Throughput {
  std::int64_t read_units = 0;
  std::int64_t write_units = 0;

  bool operator==(const Throughput&) const = default;
};

// The larger value in each dimension.
Throughput highest(const Throughput& a, const Throughput& b);
// The throughput that a table or index with these settings serves at once, whatever its history.
Throughput warm_at_least(BillingMode mode, const Throughput& provisioned);

// Earlier changes of provisioned throughput, as DescribeTable returns them.
struct ThroughputHistory {
  std::optional<Timestamp> last_increase;
  std::optional<Timestamp> last_decrease;
  std::int64_t decreases_today = 0;  // on the UTC day of last_decrease

  // Number of decreases so far on the UTC day of `now`.
  std::int64_t decreases_on(Timestamp now) const;
};

// Maximum throughput in on-demand mode.
struct OnDemandThroughput {
  std::optional<std::int64_t> max_read_units;
  std::optional<std::int64_t> max_write_units;

  bool is_set() const { return max_read_units || max_write_units; }
};

// The settings that UpdateTable changes asynchronously: while the table is UPDATING, the old ones
// are in force.
struct ThroughputSettings {
  BillingMode billing_mode = BillingMode::Provisioned;
  // Whether the mode was ever set explicitly after creation; tables created PROVISIONED show no
  // BillingModeSummary until then.
  bool shows_billing_mode = false;
  std::optional<Timestamp> last_on_demand;  // when PAY_PER_REQUEST was last chosen
  Throughput throughput;
  ThroughputHistory history;
  TableClass table_class = TableClass::Standard;
  bool shows_table_class = false;
  std::optional<Timestamp> last_table_class;
};

// The result of UpdateContributorInsights for a table or a global index.
struct ContributorInsights {
  bool is_enabled = false;
  ContributorInsightsMode mode = ContributorInsightsMode::AccessedAndThrottledKeys;
  Timestamp changed;
  Timestamp changing_until;  // ENABLING or DISABLING until then

  bool is_disabled(Timestamp now) const { return !is_enabled && now >= changing_until; }
};

struct Projection {
  ProjectionType type = ProjectionType::All;
  std::vector<std::string> non_key_attributes;  // Include only
};

struct LocalIndex {
  std::string name;
  storage::SpaceId space{};
  std::vector<KeyAttribute> partition_keys;  // the table's one partition key
  std::vector<KeyAttribute> sort_keys;       // exactly one
  Projection projection;
};

// Progress of an index that UpdateTable adds (engine/indexes/backfill.h).
struct IndexBuild {
  // Until this time resources are being allocated: the table is UPDATING and the backfill waits.
  Timestamp allocating_until;
  // Key of the last item of the table that the backfill read, as ordered bytes, in the order of the
  // store; an empty partition means before all items.
  std::string done_partition;
  std::string done_sort;
};

struct GlobalIndex {
  std::string name;
  storage::SpaceId space{};
  std::shared_ptr<TableRuntime> runtime;     // not null in the catalog
  std::vector<KeyAttribute> partition_keys;  // one to four
  std::vector<KeyAttribute> sort_keys;       // none to four
  Projection projection;

  Throughput throughput;
  std::optional<Throughput> throughput_before;  // shown until updating_until
  ThroughputHistory history;
  Timestamp updating_until;
  OnDemandThroughput on_demand;
  Throughput warm;  // as for a table
  std::optional<Throughput> warm_to;
  Timestamp warm_updating_until;
  std::optional<ContributorInsights> insights;  // empty if never changed

  // The history to show at `now`. Dates are set when a change is requested and when it is finished.
  ThroughputHistory shown_history(Timestamp now) const;

  std::optional<IndexBuild> build;          // set while the index is being added
  std::optional<Timestamp> deleting_until;  // set while the index is being removed

  // Gone once the time in DELETING is over: invisible, though not yet removed from the table.
  TableStatus status(Timestamp now) const {
    if (deleting_until) return now < *deleting_until ? TableStatus::Deleting : TableStatus::Gone;
    if (build) return TableStatus::Creating;
    return now < updating_until ? TableStatus::Updating : TableStatus::Active;
  }
  bool is_allocating(Timestamp now) const {
    return build && !deleting_until && now < build->allocating_until;
  }
  // Whether DescribeTable reports the index as backfilling: CREATING, with its resources allocated.
  bool is_backfilling(Timestamp now) const {
    return build && !deleting_until && now >= build->allocating_until;
  }
  // Whether the index is complete and not being removed. It can then be queried, and items that
  // violate its keys are rejected.
  bool is_active() const { return !build && !deleting_until; }
};

// What a resource policy was before its last change, which requests do not see until then.
struct FormerPolicy {
  std::string document;  // as in ResourcePolicy
  std::int64_t revision_ms = 0;
  Timestamp until;
};

// A resource policy of a table or of its latest stream. Remains when the policy is deleted, so that
// a further deletion knows of it.
struct ResourcePolicy {
  std::string document;  // protocol/policy/policy_document.h's stored form; empty once deleted
  std::int64_t revision_ms = 0;             // Unix time of the last change
  std::optional<FormerPolicy> former = {};  // of a change that comes late (Settings::policy_lag)

  bool is_attached() const { return !document.empty(); }
  // Whether requests do not see the last change yet.
  bool is_pending(Timestamp now) const { return former && now < former->until; }
  // What requests see at `now`.
  const std::string& document_at(Timestamp now) const {
    return is_pending(now) ? former->document : document;
  }
  std::int64_t revision_at(Timestamp now) const {
    return is_pending(now) ? former->revision_ms : revision_ms;
  }
};

enum class StreamViewType : std::uint8_t { KeysOnly, NewImage, OldImage, NewAndOldImages };
std::string_view to_text(StreamViewType type);
// Which images of an item a record of the stream has.
inline bool shows_new_image(StreamViewType type) {
  return type == StreamViewType::NewImage || type == StreamViewType::NewAndOldImages;
}
inline bool shows_old_image(StreamViewType type) {
  return type == StreamViewType::OldImage || type == StreamViewType::NewAndOldImages;
}

// The latest stream of a table, as the table's description shows it (engine/schema/stream.h has the
// rest).
struct StreamSettings {
  StreamViewType view_type = StreamViewType::KeysOnly;
  std::string label;                     // 2026-11-20T21:04:05.123
  bool is_enabled = true;                // whether changes of items are recorded
  std::uint64_t number = 0;              // the stream's number; zero until the engine has opened it
  Timestamp changing_until;              // ENABLING or DISABLING until then
  std::optional<ResourcePolicy> policy;  // empty if the stream never had one
};

// Progress of creating expiry entries for the items that existed when time to live was enabled: the
// key of the last item read, as in IndexBuild.
struct ExpiryBuild {
  std::string done_partition;
  std::string done_sort;
};

// The result of UpdateTimeToLive for a table.
struct TimeToLive {
  bool is_enabled = false;
  std::string attribute_name;  // from the last change
  Timestamp changed;
  Timestamp changing_until;  // ENABLING or DISABLING until then
  // Space of the expiry entries (engine/storage/stores/expiries.h) while enabled. Each enabling
  // gets a new space, so that entries left from an earlier one are not mistaken for its own.
  storage::SpaceId space{};
  std::optional<ExpiryBuild> build;  // set while entries are made for existing items
};

struct Encryption {
  std::string kms_key_arn;
  Timestamp updating_until;
  bool is_ending = false;  // shown until updating_until, then gone

  bool is_gone(Timestamp now) const { return is_ending && now >= updating_until; }
};

// Progress of a copy of a space's items as of one moment (engine/state/item_copies.h).
struct ItemCopy {
  storage::SpaceId source{};  // whose items are copied; deleted tables and backups included
  // The first change of the source's journal after the moment.
  std::uint64_t first_change = 0;
  // Key of the last item copied, as in IndexBuild.
  std::string done_partition;
  std::string done_sort;
  // Set once all items are copied: changes from this number on are undone in the copy.
  std::optional<std::uint64_t> undone_from;
};

// Point-in-time recovery of a table, while it is enabled.
struct PointInTimeRecovery {
  Timestamp enabled;
  std::int64_t period_days = 0;
  // Start of the window if entries had to go before their time; `enabled` otherwise.
  Timestamp earliest;
  // A number of its own: the statistics of this space count the entries of the table's journal that
  // recovery retains, and their bytes in the store.
  storage::SpaceId space{};
};

// A table that is being restored, from a backup or from the history of another table.
struct Restore {
  ItemCopy copy;
  std::string backup_arn;  // empty: to a point in time
  std::string table_arn;   // of the source
  Timestamp moment;
};

struct Table {
  std::string scope;  // which requests can use it (Isolation)
  std::string name;
  std::string region;
  std::string account_id;
  std::string id;  // UUID
  storage::SpaceId space{};
  std::shared_ptr<TableRuntime> runtime;  // not null in the catalog
  Timestamp created;

  std::vector<KeyAttribute> attribute_definitions;  // in the order of the request
  KeyAttribute partition_key;
  std::optional<KeyAttribute> sort_key;
  std::vector<LocalIndex> local_indexes;
  std::vector<GlobalIndex> global_indexes;

  ThroughputSettings settings;
  std::optional<ThroughputSettings> settings_before;  // shown until updating_until
  OnDemandThroughput on_demand;
  // The throughput the table serves at once beyond what its settings imply. `warm_to` is the value
  // it is being raised to, until warm_updating_until or until the throughput state has applied it.
  Throughput warm;
  std::optional<Throughput> warm_to;
  Timestamp warm_updating_until;
  bool deletion_protection = false;
  std::optional<StreamSettings> stream;  // the latest; remains when disabled
  std::optional<Encryption> encryption;
  std::optional<TimeToLive> time_to_live;                 // empty if never changed
  std::optional<ContributorInsights> insights;            // empty if never changed
  std::vector<std::pair<std::string, std::string>> tags;  // in the order they were first set
  std::optional<ResourcePolicy> policy;                   // empty if the table never had one
  std::optional<PointInTimeRecovery> recovery;            // set while enabled
  std::optional<Restore> restore;                         // set while the table is being restored
  std::vector<KinesisDestination> kinesis;                // the newest first

  Timestamp creating_until;
  Timestamp updating_until;
  std::optional<Timestamp> deleting_until;

  TableStatus status(Timestamp now) const {
    if (deleting_until) return now < *deleting_until ? TableStatus::Deleting : TableStatus::Gone;
    if (restore || now < creating_until) return TableStatus::Creating;
    const bool is_updating = now < updating_until || changes_indexes(now) || changes_stream(now);
    return is_updating ? TableStatus::Updating : TableStatus::Active;
  }
  // The settings in force at `now`.
  const ThroughputSettings& shown_settings(Timestamp now) const {
    return settings_before && now < updating_until ? *settings_before : settings;
  }
  // Time to live if enabled, else nullptr.
  const TimeToLive* expiry() const {
    return time_to_live && time_to_live->is_enabled ? &*time_to_live : nullptr;
  }
  bool has_indexes() const { return !local_indexes.empty() || !global_indexes.empty(); }
  // Whether a global index makes the table UPDATING: its resources are being allocated or removed.
  bool changes_indexes(Timestamp now) const;
  // The index of this name in any status, or nullptr. With `now`, not an index that is Gone then.
  const GlobalIndex* find_global_index(std::string_view index_name) const;
  const GlobalIndex* find_global_index(std::string_view index_name, Timestamp now) const;
  const GlobalIndex* find_global_index(storage::SpaceId space_of_index) const;
  bool has_gone_indexes(Timestamp now) const;
  // Removes indexes that are Gone at `now`, and attribute definitions that no key uses then.
  void remove_gone_indexes(Timestamp now);
  bool has_enabled_stream() const { return stream && stream->is_enabled; }
  bool changes_stream(Timestamp now) const { return stream && now < stream->changing_until; }
  // Whether the attribute is a key of the table itself.
  bool is_key(std::string_view name_of_attribute) const;
  // Whether the attribute is a partition key of the table or of an index.
  bool is_partition_key(std::string_view name_of_attribute) const;
  // Creates the missing runtimes of the table and its indexes.
  void begin_runtimes();
  std::string arn() const;
};

}  // namespace stator

#include "engine/schema/table.h"

#include <algorithm>

#include "protocol/service/arn.h"
#include "protocol/service/limits.h"

namespace stator {

Throughput highest(const Throughput& a, const Throughput& b) {
  return {std::max(a.read_units, b.read_units), std::max(a.write_units, b.write_units)};
}

Throughput warm_at_least(BillingMode mode, const Throughput& provisioned) {
  if (mode == BillingMode::Provisioned) return provisioned;
  return {limits::kOnDemandReadUnitsPerSecondInitial, limits::kOnDemandWriteUnitsPerSecondInitial};
}

std::string_view to_text(BillingMode mode) {
  return mode == BillingMode::Provisioned ? "PROVISIONED" : "PAY_PER_REQUEST";
}

std::string_view to_text(TableClass table_class) {
  return table_class == TableClass::Standard ? "STANDARD" : "STANDARD_INFREQUENT_ACCESS";
}

std::string_view to_text(TableStatus status) {
  switch (status) {
    case TableStatus::Creating:
      return "CREATING";
    case TableStatus::Updating:
      return "UPDATING";
    case TableStatus::Active:
      return "ACTIVE";
    case TableStatus::Deleting:
    case TableStatus::Gone:
      break;
  }
  return "DELETING";
}

std::string_view to_text(ProjectionType type) {
  switch (type) {
    case ProjectionType::All:
      return "ALL";
    case ProjectionType::KeysOnly:
      return "KEYS_ONLY";
    case ProjectionType::Include:
      break;
  }
  return "INCLUDE";
}

std::string_view to_text(ContributorInsightsMode mode) {
  return mode == ContributorInsightsMode::ThrottledKeys ? "THROTTLED_KEYS"
                                                        : "ACCESSED_AND_THROTTLED_KEYS";
}

std::string_view to_text(StreamViewType type) {
  switch (type) {
    case StreamViewType::KeysOnly:
      return "KEYS_ONLY";
    case StreamViewType::NewImage:
      return "NEW_IMAGE";
    case StreamViewType::OldImage:
      return "OLD_IMAGE";
    case StreamViewType::NewAndOldImages:
      break;
  }
  return "NEW_AND_OLD_IMAGES";
}

namespace {

// Whether the attribute is a key of the table or of one of its indexes.
bool is_key_attribute(const Table& table, std::string_view name) {
  const auto uses = [&](const auto& index) {
    return is_one_of(index.partition_keys, name) || is_one_of(index.sort_keys, name);
  };
  return table.partition_key.name == name || (table.sort_key && table.sort_key->name == name) ||
         std::any_of(table.local_indexes.begin(), table.local_indexes.end(), uses) ||
         std::any_of(table.global_indexes.begin(), table.global_indexes.end(), uses);
}

}  // namespace

std::int64_t ThroughputHistory::decreases_on(Timestamp now) const {
  constexpr std::int64_t kDayUs = std::int64_t{24} * 3600 * 1'000'000;
  const bool is_same_day = last_decrease && last_decrease->unix_us / kDayUs == now.unix_us / kDayUs;
  return is_same_day ? decreases_today : 0;
}

bool Table::changes_indexes(Timestamp now) const {
  return std::any_of(global_indexes.begin(), global_indexes.end(), [&](const GlobalIndex& index) {
    return index.is_allocating(now) || index.status(now) == TableStatus::Deleting;
  });
}

const GlobalIndex* Table::find_global_index(std::string_view index_name) const {
  const auto found =
      std::find_if(global_indexes.begin(), global_indexes.end(),
                   [&](const GlobalIndex& index) { return index.name == index_name; });
  return found == global_indexes.end() ? nullptr : &*found;
}

const GlobalIndex* Table::find_global_index(std::string_view index_name, Timestamp now) const {
  const GlobalIndex* index = find_global_index(index_name);
  return index != nullptr && index->status(now) == TableStatus::Gone ? nullptr : index;
}

const GlobalIndex* Table::find_global_index(storage::SpaceId space_of_index) const {
  const auto found =
      std::find_if(global_indexes.begin(), global_indexes.end(),
                   [&](const GlobalIndex& index) { return index.space == space_of_index; });
  return found == global_indexes.end() ? nullptr : &*found;
}

bool Table::has_gone_indexes(Timestamp now) const {
  return std::any_of(global_indexes.begin(), global_indexes.end(), [&](const GlobalIndex& index) {
    return index.status(now) == TableStatus::Gone;
  });
}

void Table::remove_gone_indexes(Timestamp now) {
  std::erase_if(global_indexes,
                [&](const GlobalIndex& index) { return index.status(now) == TableStatus::Gone; });
  std::erase_if(attribute_definitions, [&](const KeyAttribute& definition) {
    return !is_key_attribute(*this, definition.name);
  });
}

std::vector<Type> types_of(std::span<const KeyAttribute> keys) {
  std::vector<Type> types;
  types.reserve(keys.size());
  for (const KeyAttribute& key : keys) types.push_back(key.type);
  return types;
}

bool is_one_of(std::span<const KeyAttribute> keys, std::string_view name_of_attribute) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const KeyAttribute& key) { return key.name == name_of_attribute; });
}

bool Table::is_key(std::string_view name_of_attribute) const {
  return partition_key.name == name_of_attribute ||
         (sort_key && sort_key->name == name_of_attribute);
}

bool Table::is_partition_key(std::string_view name_of_attribute) const {
  return partition_key.name == name_of_attribute ||
         std::any_of(global_indexes.begin(), global_indexes.end(), [&](const GlobalIndex& index) {
           return is_one_of(index.partition_keys, name_of_attribute);
         });
}

void Table::begin_runtimes() {
  const auto begin = [](std::shared_ptr<TableRuntime>& one) {
    if (one == nullptr) one = std::make_shared<TableRuntime>();
  };
  begin(runtime);
  for (GlobalIndex& index : global_indexes) begin(index.runtime);
}

std::string Table::arn() const { return table_arn(region, account_id, name); }

ThroughputHistory GlobalIndex::shown_history(Timestamp now) const {
  ThroughputHistory shown = history;
  if (!throughput_before) return shown;
  const Throughput& before = *throughput_before;
  const bool is_increase =
      throughput.read_units > before.read_units || throughput.write_units > before.write_units;
  const bool is_decrease = history.last_decrease && (throughput.read_units < before.read_units ||
                                                     throughput.write_units < before.write_units);
  if (now < updating_until) {
    // The counter has the decrease already, but shows it when it is finished.
    if (is_decrease) shown.decreases_today = std::max<std::int64_t>(0, shown.decreases_today - 1);
    return shown;
  }
  // Without a delay, the change finished when it was requested.
  if (is_increase)
    shown.last_increase = std::max(shown.last_increase.value_or(updating_until), updating_until);
  if (is_decrease) {
    const Timestamp finished = std::max(*shown.last_decrease, updating_until);
    shown.decreases_today = shown.decreases_on(finished);  // midnight may have come
    shown.last_decrease = finished;
  }
  return shown;
}

}  // namespace stator

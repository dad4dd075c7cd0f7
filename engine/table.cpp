#include "engine/table.h"

#include <algorithm>

#include "protocol/arn.h"

namespace stator {

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

std::int64_t ThroughputHistory::decreases_on(Timestamp now) const {
  constexpr std::int64_t kDayUs = std::int64_t{24} * 3600 * 1'000'000;
  const bool is_same_day = last_decrease && last_decrease->unix_us / kDayUs == now.unix_us / kDayUs;
  return is_same_day ? decreases_today : 0;
}

const GlobalIndex* Table::find_global_index(std::string_view index_name) const {
  const auto found =
      std::find_if(global_indexes.begin(), global_indexes.end(),
                   [&](const GlobalIndex& index) { return index.name == index_name; });
  return found == global_indexes.end() ? nullptr : &*found;
}

std::string Table::arn() const { return table_arn(region, account_id, name); }

}  // namespace stator

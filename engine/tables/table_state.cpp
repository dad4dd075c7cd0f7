#include "engine/tables/table_state.h"

#include <algorithm>

namespace stator {

Error still_in_use(const std::string& tail) {
  return Error::resource_in_use("Attempt to change a resource which is still in use: " + tail);
}

Error stream_in_use(const Table& table, const std::string& text) {
  return still_in_use(text + " Table: " + table.name + " Stream: " + table.stream->label +
                      " Operation: " + (table.stream->is_enabled ? "ENABLE" : "DISABLE"));
}

std::optional<TableClass> class_update(const Table& table, Timestamp now) {
  const bool is_changing = now < table.updating_until && table.settings_before &&
                           table.settings_before->table_class != table.settings.table_class;
  return is_changing ? std::optional(table.settings.table_class) : std::nullopt;
}

bool leaves_on_demand(const Table& table, Timestamp now) {
  return now < table.updating_until && table.settings_before &&
         table.settings_before->billing_mode == BillingMode::PayPerRequest &&
         table.settings.billing_mode == BillingMode::Provisioned;
}

std::string class_update_text(const Table& table) {
  return " TableClassUpdateInProgress: " + std::string(to_text(table.settings.table_class));
}

Result<void> check_changeable(const Table& table, Timestamp now) {
  switch (table.status(now)) {
    case TableStatus::Creating:
      return still_in_use("Table is being created: " + table.name);
    case TableStatus::Deleting:
    case TableStatus::Gone:
      return still_in_use("Table is being deleted: " + table.name);
    case TableStatus::Updating:
    case TableStatus::Active:
      break;
  }
  return {};
}

Result<void> check_deletable(const Table& table, Timestamp now) {
  STATOR_CHECK(check_changeable(table, now));
  if (now < table.updating_until) {
    return still_in_use("Table: " + table.name + " is in the process of being updated.");
  }
  if (table.changes_stream(now))
    return still_in_use("Cannot delete table while stream is being enabled/disabled.");
  if (table.encryption && now < table.encryption->updating_until) {
    return still_in_use("Server-Side Encryption is still being updated");
  }
  if (std::any_of(table.global_indexes.begin(), table.global_indexes.end(),
                  [&](const GlobalIndex& index) {
                    return index.status(now) != TableStatus::Active &&
                           index.status(now) != TableStatus::Gone;
                  })) {
    return still_in_use(
        "Cannot delete table while indexes are being created, updated, or deleted.");
  }
  if (table.policy && table.policy->is_pending(now)) {
    return still_in_use("Table: " + table.name + " has a pending resource-based policy update.");
  }
  if (table.deletion_protection) {
    return Error::validation(
        "Resource cannot be deleted as it is currently protected against deletion. Disable "
        "deletion protection first.");
  }
  return {};
}

}  // namespace stator

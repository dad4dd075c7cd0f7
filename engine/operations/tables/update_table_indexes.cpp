#include "engine/operations/tables/update_table_indexes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "engine/tables/table_definition.h"
#include "engine/tables/table_state.h"
#include "engine/tables/warm_throughput.h"
#include "protocol/service/common_errors.h"
#include "protocol/service/limits.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

constexpr std::array<std::string_view, 3> kActions{"Update", "Create", "Delete"};

std::string_view action_of(const JsonNode& update) {
  const auto found = std::find_if(kActions.begin(), kActions.end(),
                                  [&](std::string_view action) { return update.has(action); });
  return found == kActions.end() ? std::string_view{} : *found;
}

Error one_at_a_time() {
  return Error::limit_exceeded(
      "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously "
      "per table");
}

std::string name_of(const JsonNode& change) {
  return std::string(*string_member(change, "IndexName"));
}

Result<void> check_new_index(const JsonNode& create, const JsonNode& body) {
  const Names definitions = names_of(list_member(body, "AttributeDefinitions"));
  if (definitions.empty()) {
    return invalid_parameter("AttributeDefinitions is not specified for index: " + name_of(create));
  }
  // The table's mode is not known yet, so this checks only what holds in both.
  const BillingMode mode =
      create.has("ProvisionedThroughput") ? BillingMode::Provisioned : BillingMode::PayPerRequest;
  return check_new_global_index(create, definitions, mode);
}

}  // namespace

Result<void> check_index_updates(const JsonNode& body) {
  std::vector<std::string_view> names;
  int creates_and_deletes = 0;
  for (const JsonNode& update : list_member(body, "GlobalSecondaryIndexUpdates")) {
    const std::string_view action = action_of(update);
    if (action.empty()) {
      return invalid_parameter(
          "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
          "GlobalSecondaryIndexUpdate.Delete must not be null");
    }
    if (std::count_if(kActions.begin(), kActions.end(),
                      [&](std::string_view a) { return update.has(a); }) > 1) {
      return invalid_parameter(
          "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate "
          "object");
    }
    const JsonNode& change = *update.find(action);
    const std::string_view name = *string_member(change, "IndexName");
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      return invalid_parameter(
          "Only one global secondary index update per index is allowed simultaneously. Index: " +
          std::string(name));
    }
    names.push_back(name);
    if (action == "Create") STATOR_CHECK(check_new_index(change, body));
    if (action == "Update") {
      const std::string of = "index " + std::string(name);
      STATOR_CHECK(check_on_demand(change.find("OnDemandThroughput"), of, /*allows_removal=*/true));
    }
    if (action != "Update") ++creates_and_deletes;
  }
  if (creates_and_deletes > 1) {
    return one_at_a_time();
  }
  return {};
}

bool adds_or_removes_index(const JsonNode& body) {
  const auto updates = list_member(body, "GlobalSecondaryIndexUpdates");
  return std::any_of(updates.begin(), updates.end(), [](const JsonNode& update) {
    return update.has("Create") || update.has("Delete");
  });
}

Error will_not_change(const std::string& of, const Throughput& units) {
  const std::string read = std::to_string(units.read_units);
  const std::string write = std::to_string(units.write_units);
  return Error::validation("The provisioned throughput for the " + of +
                           " will not change. The requested value equals the current value. "
                           "Current ReadCapacityUnits provisioned for the " +
                           of + ": " + read + ". Requested ReadCapacityUnits: " + read +
                           ". Current WriteCapacityUnits provisioned for the " + of + ": " + write +
                           ". Requested WriteCapacityUnits: " + write +
                           ". Refer to the Amazon DynamoDB Developer Guide for current limits and "
                           "how to request higher limits.");
}

Result<void> check_indexes_provisioned(const JsonNode& body, const Table& table) {
  const bool becomes_provisioned = table.settings.billing_mode == BillingMode::PayPerRequest &&
                                   string_member(body, "BillingMode") == "PROVISIONED";
  if (!becomes_provisioned) return {};
  std::string missing;
  for (const GlobalIndex& index : table.global_indexes) {
    if (index.deleting_until) continue;
    const auto updates = list_member(body, "GlobalSecondaryIndexUpdates");
    const bool has_units = std::any_of(updates.begin(), updates.end(), [&](const JsonNode& update) {
      const JsonNode* change = update.find("Update");
      return change != nullptr && *string_member(*change, "IndexName") == index.name &&
             change->has("ProvisionedThroughput");
    });
    if (has_units) continue;
    if (!missing.empty()) missing += ",";
    missing += index.name;
  }
  if (missing.empty()) return {};
  return invalid_parameter("ProvisionedThroughput must be specified for index: " + missing);
}

namespace {

bool is_local_index(const Table& table, std::string_view name) {
  return std::any_of(table.local_indexes.begin(), table.local_indexes.end(),
                     [&](const LocalIndex& index) { return index.name == name; });
}

Error being_deleted(const Table& table, const std::string& name) {
  return still_in_use("Index is being deleted. Table: " + table.name + " Index: " + name);
}

// The index of this name, or the error of an operation `verb` on a missing one.
Result<const GlobalIndex*> find_index(const Table& table, const std::string& name,
                                      const std::string& verb) {
  if (const GlobalIndex* index = table.find_global_index(name)) return index;
  if (is_local_index(table, name)) {
    return invalid_parameter("Cannot " + verb +
                             " an index that is not a GlobalSecondaryIndex: " + name);
  }
  return resource_not_found("Index " + name + " for table " + table.name);
}

// CreateTable has another text for this, as it has for missing units.
Error units_in_on_demand_mode(const std::string& index_name) {
  return invalid_parameter(
      "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: " + index_name +
      " when BillingMode is PAY_PER_REQUEST");
}

Result<void> check_update(const JsonNode& change, const JsonNode& body, const Table& table,
                          Timestamp now) {
  const std::string name = name_of(change);
  STATOR_TRY(const GlobalIndex* index, find_index(table, name, "update"));
  const JsonNode* throughput = change.find("ProvisionedThroughput");
  if (throughput == nullptr)
    return check_warm_raise(change.find("WarmThroughput"), table, index, now);
  const auto mode = string_member(body, "BillingMode");
  const bool is_on_demand = table.settings.billing_mode == BillingMode::PayPerRequest;
  if (mode ? *mode == "PAY_PER_REQUEST" : is_on_demand) return units_in_on_demand_mode(name);
  const Throughput units = build_throughput(throughput);
  if (std::max(units.read_units, units.write_units) > limits::kThroughputUnitsMax) {
    return Error::validation(
        "This operation cannot be performed with given input values. Please contact DynamoDB "
        "service team for more info: Action Blocked: IndexUpdate");
  }
  if (index->deleting_until) return being_deleted(table, name);
  if (index->is_allocating(now)) {
    return still_in_use("Index is being created but is not backfilling yet. Table: " + table.name +
                        " Index: " + name);
  }
  if (now < index->updating_until)
    return still_in_use("Index is being updated. Table: " + table.name + " Index: " + name);
  if (!is_on_demand && units == index->throughput) return will_not_change("index " + name, units);
  return check_warm_raise(change.find("WarmThroughput"), table, index, now);
}

// Checks that a key attribute of the table or of an index keeps its type.
Result<void> check_not_redefined(const JsonNode& create, const JsonNode& body, const Table& table) {
  const auto wanted = build_definitions(list_member(body, "AttributeDefinitions"));
  for (const JsonNode& element : list_member(create, "KeySchema")) {
    const std::string name(*string_member(element, "AttributeName"));
    const auto is_same = [&](const KeyAttribute& definition) { return definition.name == name; };
    const auto now = std::find_if(wanted.begin(), wanted.end(), is_same);
    const auto& stored = table.attribute_definitions;
    const auto before = std::find_if(stored.begin(), stored.end(), is_same);
    if (now == wanted.end() || before == stored.end() || now->type == before->type) continue;
    const auto schema = [&](const KeyAttribute& key, std::string_view kind) {
      return "Schema:[SchemaElement: key{" + name + ":" + std::string(type_name(key.type)) + ":" +
             std::string(kind) + "}]";
    };
    return invalid_parameter(
        "Attributes cannot be redefined. Please check that your attribute has the same type as "
        "previously defined. Existing schema: " +
        schema(*before, table.is_partition_key(name) ? "HASH" : "RANGE") +
        " New schema: " + schema(*now, *string_member(element, "KeyType")));
  }
  return {};
}

Result<void> check_non_key_attribute_count(const JsonNode& create, const Table& table) {
  std::size_t count = list_member(*create.find("Projection"), "NonKeyAttributes").size();
  for (const LocalIndex& index : table.local_indexes)
    count += index.projection.non_key_attributes.size();
  for (const GlobalIndex& index : table.global_indexes)
    count += index.projection.non_key_attributes.size();
  if (count <= limits::kNonKeyAttributesPerTableMax) return {};
  // Our own wording: none is recorded.
  return invalid_parameter("Number of NonKeyAttributes exceeds per-table limit of " +
                           std::to_string(limits::kNonKeyAttributesPerTableMax));
}

bool is_changing(const GlobalIndex& index) { return index.build || index.deleting_until; }

Result<void> check_create(const JsonNode& create, const JsonNode& body, const Table& table) {
  const std::string name = name_of(create);
  if (table.find_global_index(name) != nullptr || is_local_index(table, name))
    return Error::validation("Attempting to create an index which already exists");
  if (std::any_of(table.global_indexes.begin(), table.global_indexes.end(), is_changing))
    return one_at_a_time();
  if (table.global_indexes.size() >= limits::kGlobalIndexesMax) {
    return Error::limit_exceeded(
        "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit "
        "of " +
        std::to_string(limits::kGlobalIndexesMax));
  }
  STATOR_CHECK(check_not_redefined(create, body, table));
  STATOR_CHECK(check_non_key_attribute_count(create, table));
  Names definitions = names_of(list_member(body, "AttributeDefinitions"));
  for (const KeyAttribute& definition : table.attribute_definitions)
    definitions.push_back(definition.name);
  const auto mode = string_member(body, "BillingMode");
  const bool is_on_demand =
      mode ? *mode == "PAY_PER_REQUEST" : table.settings.billing_mode == BillingMode::PayPerRequest;
  const bool has_units = create.has("ProvisionedThroughput");
  if (is_on_demand && has_units) return units_in_on_demand_mode(name);
  if (!is_on_demand && !has_units) {
    return invalid_parameter(
        "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: " + name);
  }
  return check_new_global_index(
      create, definitions, is_on_demand ? BillingMode::PayPerRequest : BillingMode::Provisioned);
}

Result<void> check_delete(const JsonNode& change, const Table& table, Timestamp now) {
  const std::string name = name_of(change);
  STATOR_TRY(const GlobalIndex* index, find_index(table, name, "delete"));
  if (index->deleting_until) return being_deleted(table, name);
  if (index->is_allocating(now)) {
    return still_in_use(
        "Index creation is in resource allocation phase. Retry deletion during backfilling phase "
        "or when the index is active. Table: " +
        table.name + " Index: " + name);
  }
  for (const GlobalIndex& other : table.global_indexes) {
    if (&other != index && is_changing(other)) return one_at_a_time();
  }
  return {};
}

// "[a, b]": the conflicting indexes; empty if none.
template <class IsInTheWay>
std::string printed_names(const Table& table, IsInTheWay is_in_the_way) {
  std::string names;
  for (const GlobalIndex& index : table.global_indexes) {
    if (!is_in_the_way(index)) continue;
    names += (names.empty() ? "[" : ", ") + index.name;
  }
  return names.empty() ? names : names + "]";
}

}  // namespace

Result<void> check_index_changes(const JsonNode& body, const Table& table, Timestamp now) {
  for (const JsonNode& update : list_member(body, "GlobalSecondaryIndexUpdates")) {
    if (const JsonNode* change = update.find("Update"))
      STATOR_CHECK(check_update(*change, body, table, now));
    if (const JsonNode* change = update.find("Create"))
      STATOR_CHECK(check_create(*change, body, table));
    if (const JsonNode* change = update.find("Delete"))
      STATOR_CHECK(check_delete(*change, table, now));
  }
  return {};
}

Result<void> check_no_index_allocating(const Table& table, Timestamp now,
                                       std::string_view refused) {
  const std::string names =
      printed_names(table, [&](const GlobalIndex& index) { return index.is_allocating(now); });
  if (names.empty()) return {};
  return still_in_use(std::string(refused) + " when an index is being created. Table: " +
                      table.name + " Indexes: " + names);
}

Result<void> check_no_index_changing(const Table& table, Timestamp now, std::string_view refused) {
  STATOR_CHECK(check_no_index_allocating(table, now, refused));
  const std::string names = printed_names(
      table, [&](const GlobalIndex& index) { return index.status(now) == TableStatus::Deleting; });
  if (names.empty()) return {};
  return still_in_use(std::string(refused) + " when an index is being deleted. Table: " +
                      table.name + " Indexes: " + names);
}

void add_index(const JsonNode& create, const JsonNode& body, Timestamp allocating_until,
               Table& table) {
  const auto wanted = build_definitions(list_member(body, "AttributeDefinitions"));
  for (const std::string_view key : names_of(list_member(create, "KeySchema"))) {
    const auto is_same = [&](const KeyAttribute& definition) { return definition.name == key; };
    auto& stored = table.attribute_definitions;
    if (std::none_of(stored.begin(), stored.end(), is_same))
      stored.push_back(*std::find_if(wanted.begin(), wanted.end(), is_same));
  }
  GlobalIndex index = build_global_index(create, table);
  index.build =
      IndexBuild{.allocating_until = allocating_until, .done_partition = {}, .done_sort = {}};
  table.global_indexes.push_back(std::move(index));
}

}  // namespace stator

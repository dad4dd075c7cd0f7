#include "engine/operations/backups/restore_target.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/call/scope.h"
#include "engine/call/settings.h"
#include "engine/catalog/catalog.h"
#include "engine/tables/table_definition.h"
#include "engine/tables/table_description.h"
#include "protocol/service/limits.h"

namespace stator {
namespace {

constexpr std::size_t kRestoresMax = 50;

Error invalid_request(std::string text) {
  return Error::validation(std::move(text)).within("Invalid Request: ");
}

std::vector<std::string_view> names_of_keys(const JsonNode& index, std::string_view kind) {
  std::vector<std::string_view> names;
  for (const JsonNode& key : list_member(index, "KeySchema")) {
    if (string_member(key, "KeyType") == kind)
      names.push_back(*string_member(key, "AttributeName"));
  }
  return names;
}

bool is_same(const std::vector<KeyAttribute>& keys, const std::vector<std::string_view>& names) {
  return std::equal(
      keys.begin(), keys.end(), names.begin(), names.end(),
      [](const KeyAttribute& key, std::string_view name) { return key.name == name; });
}

bool is_same(const Projection& projection, const JsonNode* wanted) {
  if (wanted == nullptr) return false;
  std::vector<std::string> names;
  for (const JsonNode& name : list_member(*wanted, "NonKeyAttributes"))
    names.emplace_back(name.text());
  std::vector<std::string> existing = projection.non_key_attributes;
  std::sort(names.begin(), names.end());
  std::sort(existing.begin(), existing.end());
  return string_member(*wanted, "ProjectionType").value_or("ALL") == to_text(projection.type) &&
         names == existing;
}

// Leaves the indexes that the override names, under its names. Nothing changes without an override.
template <class Index, class Change>
Result<void> choose_indexes(std::vector<Index>& indexes, const JsonNode* wanted,
                            const Change& change) {
  if (wanted == nullptr) return {};
  std::vector<Index> chosen;
  for (const JsonNode& node : wanted->elements()) {
    const auto source = std::find_if(indexes.begin(), indexes.end(), [&](const Index& index) {
      return is_same(index.partition_keys, names_of_keys(node, "HASH")) &&
             is_same(index.sort_keys, names_of_keys(node, "RANGE")) &&
             is_same(index.projection, node.find("Projection"));
    });
    const std::string name(*string_member(node, "IndexName"));
    if (source == indexes.end()) {
      return invalid_request("Index " + name +
                             " does not match a secondary index that existed in the source table "
                             "and cannot be created during the restore operation");
    }
    chosen.push_back(*source);
    chosen.back().name = name;
    change(chosen.back(), node);
  }
  indexes = std::move(chosen);
  return {};
}

Result<void> check_billing(const Table& source, const JsonNode& body) {
  const auto mode = string_member(body, "BillingModeOverride");
  const bool has_throughput = body.find("ProvisionedThroughputOverride") != nullptr;
  if (!mode && has_throughput && source.settings.billing_mode == BillingMode::PayPerRequest) {
    return invalid_request(
        "Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED");
  }
  if (mode == "PROVISIONED" && !has_throughput) {
    return invalid_request(
        "Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED");
  }
  if (mode == "PAY_PER_REQUEST" && has_throughput) {
    return invalid_request(
        "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST");
  }
  return check_throughput_bounds(body.find("ProvisionedThroughputOverride"));
}

Result<void> check_maxima(const JsonNode& body) {
  const JsonNode* maxima = body.find("OnDemandThroughputOverride");
  if (maxima == nullptr) return {};
  for (const std::string_view member : {"MaxReadRequestUnits", "MaxWriteRequestUnits"}) {
    const std::int64_t units = integer_member(*maxima, member).value_or(1);
    if (units >= 1 && units <= limits::kThroughputUnitsMax) continue;
    return invalid_request("Requested " + std::string(member) +
                           " for OnDemandThroughput is outside of valid range");
  }
  return {};
}

void build_settings(const JsonNode& body, Table& table) {
  ThroughputSettings& settings = table.settings;
  const BillingMode source_mode = settings.billing_mode;
  if (const auto mode = string_member(body, "BillingModeOverride")) {
    settings.billing_mode =
        *mode == "PAY_PER_REQUEST" ? BillingMode::PayPerRequest : BillingMode::Provisioned;
  }
  if (const JsonNode* throughput = body.find("ProvisionedThroughputOverride"))
    settings.throughput = build_throughput(throughput);
  const bool is_on_demand = settings.billing_mode == BillingMode::PayPerRequest;
  settings.shows_billing_mode = is_on_demand;
  settings.last_on_demand = is_on_demand ? std::optional(table.created) : std::nullopt;
  if (is_on_demand) settings.throughput = {};
  if (const JsonNode* maxima = body.find("OnDemandThroughputOverride"))
    table.on_demand = build_on_demand(maxima);
  for (GlobalIndex& index : table.global_indexes) {
    if (is_on_demand) index.throughput = {};
    // An index of a table in on-demand mode has no units of its own to begin with.
    if (!is_on_demand && source_mode == BillingMode::PayPerRequest &&
        index.throughput.read_units == 0)
      index.throughput = settings.throughput;
    index.warm = build_warm(nullptr, settings.billing_mode, index.throughput);
  }
  table.warm = build_warm(nullptr, settings.billing_mode, settings.throughput);
}

// The indexes of the source, as new ones: complete, without history. Those being removed are left
// out.
void copy_indexes(const Table& source, Table& table) {
  for (const LocalIndex& index : source.local_indexes)
    table.local_indexes.push_back({.name = index.name,
                                   .space = {},
                                   .partition_keys = index.partition_keys,
                                   .sort_keys = index.sort_keys,
                                   .projection = index.projection});
  for (const GlobalIndex& index : source.global_indexes) {
    if (index.deleting_until) continue;
    GlobalIndex& copied = table.global_indexes.emplace_back();
    copied.name = index.name;
    copied.partition_keys = index.partition_keys;
    copied.sort_keys = index.sort_keys;
    copied.projection = index.projection;
    copied.throughput = index.throughput;
    copied.on_demand = index.on_demand;
  }
}

// Attributes that are keys of the table or of one of its indexes.
void copy_definitions(const Table& source, Table& table) {
  const auto has = [](const std::vector<KeyAttribute>& keys, const std::string& name) {
    return std::any_of(keys.begin(), keys.end(),
                       [&](const KeyAttribute& key) { return key.name == name; });
  };
  const auto is_used = [&](const std::string& name) {
    if (table.is_key(name)) return true;
    const auto uses = [&](const auto& index) {
      return has(index.partition_keys, name) || has(index.sort_keys, name);
    };
    return std::any_of(table.local_indexes.begin(), table.local_indexes.end(), uses) ||
           std::any_of(table.global_indexes.begin(), table.global_indexes.end(), uses);
  };
  for (const KeyAttribute& definition : source.attribute_definitions) {
    if (is_used(definition.name)) table.attribute_definitions.push_back(definition);
  }
}

}  // namespace

Result<void> check_restore_body(const JsonNode& body, const TypeSpec& shape, Call& call) {
  STATOR_CHECK(check_types(body, shape));
  STATOR_CHECK(check_constraints(body, shape, call.wording));
  call.table_name = *string_member(body, "TargetTableName");
  constexpr std::string_view kUnbuilt = "VectorIndexOverride";
  if (body.find(kUnbuilt) != nullptr) return Error::unknown_operation().with_place(kUnbuilt);
  return {};
}

Result<void> check_restore_target(const Snapshot& snapshot, const Call& call) {
  Arena arena;
  const Table* existing =
      snapshot.catalog().find(scope_of(call, arena), call.table_name, snapshot.now());
  const std::string name(call.table_name);
  if (existing != nullptr && existing->restore) {
    const Restore& restore = *existing->restore;
    return Error(ErrorCode::TableInUse,
                 "Table: " + name + " is already being restored from backup: " +
                     (restore.backup_arn.empty() ? restore.table_arn : restore.backup_arn));
  }
  if (existing != nullptr)
    return Error(ErrorCode::TableAlreadyExists, "Table already exists: " + name);
  std::size_t restores = 0;
  snapshot.catalog().for_each([&](const Table& table) { restores += table.restore ? 1 : 0; });
  if (restores >= kRestoresMax) {
    return Error::limit_exceeded(
        "Subscriber limit exceeded: Only 50 restore operations can be done simultaneously");
  }
  return {};
}

Result<Table> restored_table(const Table& source, Restore restore, const JsonNode& body,
                             const Snapshot& snapshot, Random& random, const Call& call) {
  STATOR_CHECK(check_billing(source, body));
  Arena arena;
  Table table;
  table.scope = scope_of(call, arena);
  table.name = call.table_name;
  const bool is_of_other_region = source.scope != table.scope;
  table.region = is_of_other_region ? call.caller.region : source.region;
  table.account_id = source.account_id;
  table.id = random.uuid();
  table.created = snapshot.now();
  table.creating_until = snapshot.now().settled_after(call.settings->control_plane_delay);
  table.partition_key = source.partition_key;
  table.sort_key = source.sort_key;
  table.settings.billing_mode = source.settings.billing_mode;
  table.settings.throughput = source.settings.throughput;
  table.on_demand = source.on_demand;
  copy_indexes(source, table);
  STATOR_CHECK(choose_indexes(table.local_indexes, body.find("LocalSecondaryIndexOverride"),
                              [](LocalIndex&, const JsonNode&) {}));
  STATOR_CHECK(choose_indexes(table.global_indexes, body.find("GlobalSecondaryIndexOverride"),
                              [](GlobalIndex& index, const JsonNode& node) {
                                if (const JsonNode* throughput = node.find("ProvisionedThroughput"))
                                  index.throughput = build_throughput(throughput);
                                if (const JsonNode* maxima = node.find("OnDemandThroughput"))
                                  index.on_demand = build_on_demand(maxima);
                              }));
  STATOR_CHECK(check_maxima(body));
  const JsonNode* const encryption = body.find("SSESpecificationOverride");
  STATOR_CHECK(check_encryption(encryption));
  if (is_of_other_region && encryption == nullptr)
    return invalid_request("sseSpecificationOverride must be provided for cross-region restores");
  copy_definitions(source, table);
  build_settings(body, table);
  if (encryption != nullptr) {
    table.encryption = build_encryption(encryption, call, random);
  } else if (source.encryption && !source.encryption->is_ending) {
    table.encryption =
        Encryption{.kms_key_arn = source.encryption->kms_key_arn, .updating_until = {}};
  }
  table.restore = std::move(restore);
  return table;
}

void touch_restored_items(std::string_view table_name, Resources& touched) {
  for (const std::string_view action :
       {"PutItem", "UpdateItem", "DeleteItem", "GetItem", "Query", "Scan", "BatchWriteItem"})
    touched.push_back({.table = table_name, .action = action});
}

Result<void> render_restored(const Table& table, const Snapshot& snapshot, Call& call) {
  JsonWriter out(call.reply);
  out.begin_object();
  out.key("TableDescription");
  const DescriptionView view{
      .status = TableStatus::Creating, .shows_warm = false, .shows_on_demand_date = false};
  STATOR_CHECK(write_table_description(out, table, snapshot, view));
  out.end_object();
  return {};
}

}  // namespace stator

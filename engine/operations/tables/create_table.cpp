// CreateTable. The order of the checks is conformance/observed/errors.md 12.1.
#include "engine/call/settings.h"
#include "engine/operations/define.h"
#include "engine/operations/tables/account_quotas.h"
#include "engine/operations/tables/table_definition.h"
#include "engine/operations/tables/table_description.h"
#include "engine/operations/tables/table_stream.h"
#include "engine/operations/tags/tags.h"
#include "protocol/limits.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

constexpr const TypeSpec& kShape = model::kCreateTableInput;

BillingMode billing_mode_of(const JsonNode& body) {
  return string_member(body, "BillingMode") == "PAY_PER_REQUEST" ? BillingMode::PayPerRequest
                                                                 : BillingMode::Provisioned;
}

Result<void> check_billing(const JsonNode& body, BillingMode mode) {
  const JsonNode* throughput = body.find("ProvisionedThroughput");
  if (mode == BillingMode::PayPerRequest && throughput != nullptr) {
    return invalid_parameter(
        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
        "PAY_PER_REQUEST");
  }
  if (mode == BillingMode::Provisioned && throughput == nullptr) {
    return invalid_parameter(
        "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is "
        "PROVISIONED");
  }
  return check_throughput_bounds(throughput);
}

Result<void> check_stream(const JsonNode& body) {
  const JsonNode* stream = body.find("StreamSpecification");
  if (stream == nullptr) return {};
  const bool enabled = *boolean_member(*stream, "StreamEnabled");
  const bool has_view = stream->find("StreamViewType") != nullptr;
  if (enabled && !has_view)
    return invalid_parameter(
        "Table is being created with a stream enabled, UpdateViewType is required");
  if (!enabled && has_view) {
    return invalid_parameter(
        "Table is being created with a stream disabled, UpdateViewType should not be specified");
  }
  return {};
}

Result<void> check_on_demand_mode(const JsonNode* on_demand, BillingMode mode) {
  if (on_demand == nullptr || mode == BillingMode::PayPerRequest) return {};
  for (const std::string_view member : {"MaxReadRequestUnits", "MaxWriteRequestUnits"}) {
    if (on_demand->find(member) == nullptr) continue;
    return invalid_parameter(
        std::string(member) +
        " for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.");
  }
  return {};
}

Result<void> check_settings(const JsonNode& body, BillingMode mode) {
  STATOR_CHECK(check_stream(body));
  STATOR_CHECK(check_encryption(body));
  STATOR_CHECK(check_table_class(body));
  const JsonNode* on_demand = body.find("OnDemandThroughput");
  STATOR_CHECK(check_on_demand_mode(on_demand, mode));
  STATOR_CHECK(check_on_demand(on_demand, "table", /*allows_removal=*/false));
  for (const JsonNode& index : list_member(body, "GlobalSecondaryIndexes")) {
    STATOR_CHECK(check_on_demand_mode(index.find("OnDemandThroughput"), mode));
  }
  const Throughput floor =
      build_warm(nullptr, mode, build_throughput(body.find("ProvisionedThroughput")));
  STATOR_CHECK(check_warm(body.find("WarmThroughput"), "table", mode, floor));
  const auto tags = list_member(body, "Tags");
  STATOR_CHECK(check_tags(tags));
  if (tags.size() > limits::kTagsMax) return too_many_tags();
  return {};
}

struct CreateTable {
  static constexpr std::string_view name = "CreateTable";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    const JsonNode* body;
    BillingMode billing_mode;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, kShape));
    STATOR_CHECK(check_control_table_name(body));
    STATOR_CHECK(check_constraints(body, kShape, call.wording));
    call.table_name = table_name_of(*string_member(body, "TableName"));
    const BillingMode mode = billing_mode_of(body);
    STATOR_CHECK(check_billing(body, mode));
    STATOR_CHECK(check_key_definitions(body, mode));
    STATOR_CHECK(check_settings(body, mode));
    for (const std::string_view member : {"ResourcePolicy", "GlobalTableSourceArn",
                                          "GlobalTableSettingsReplicationMode", "VectorIndexes"}) {
      if (body.find(member) != nullptr) return Error::unknown_operation();  // still to come
    }
    return call.arena.make<Request>(&body, mode);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    const std::string_view scope = scope_of(call, call.arena);
    if (const Table* existing = snapshot.catalog().find(scope, call.table_name, snapshot.now())) {
      const std::string table_name(call.table_name);
      if (existing->status(snapshot.now()) == TableStatus::Creating) {
        return Error::resource_in_use(
            "Attempt to change a resource which is still in use: Table is being created: " +
            table_name);
      }
      return Error::resource_in_use("Table already exists: " + table_name);
    }
    STATOR_TRY(Table table, build(request, scope, snapshot, mutation.random(), call));
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("TableDescription");
    const DescriptionView view{.status = TableStatus::Creating,
                               .shows_warm = request.body->find("WarmThroughput") != nullptr,
                               .shows_on_demand_date = false};
    STATOR_CHECK(write_table_description(out, table, snapshot, view));
    out.end_object();
    mutation.put_table(std::move(table));
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = *string_member(*request.body, "TableName")});
  }

 private:
  static Result<Table> build(const Request& request, std::string_view scope,
                             const Snapshot& snapshot, Random& random, const Call& call) {
    const Timestamp now = snapshot.now();
    const JsonNode& body = *request.body;
    Table table;
    table.scope = scope;
    table.name = call.table_name;
    table.region = call.caller.region;
    table.account_id = call.settings->account_id;
    table.id = random.uuid();
    table.created = now;
    table.creating_until = now.settled_after(call.settings->control_plane_delay);
    if (call.settings->throttling == Throttling::Enforce)
      STATOR_CHECK(check_account_quotas(body, table, snapshot));
    build_settings(request, table);
    build_keys_and_indexes(body, table);
    table.on_demand = build_on_demand(body.find("OnDemandThroughput"));
    table.warm =
        build_warm(body.find("WarmThroughput"), request.billing_mode, table.settings.throughput);
    table.deletion_protection = boolean_member(body, "DeletionProtectionEnabled").value_or(false);
    if (const JsonNode* stream = body.find("StreamSpecification");
        stream && *boolean_member(*stream, "StreamEnabled")) {
      STATOR_TRY(table.stream, build_stream(*stream, table, snapshot));
      table.stream->changing_until = table.creating_until;
    }
    table.encryption = build_encryption(body, call, random);
    for (const JsonNode& tag : list_member(body, "Tags")) {
      table.tags.emplace_back(*string_member(tag, "Key"), *string_member(tag, "Value"));
    }
    return table;
  }

  static void build_settings(const Request& request, Table& table) {
    ThroughputSettings& settings = table.settings;
    settings.billing_mode = request.billing_mode;
    settings.throughput = build_throughput(request.body->find("ProvisionedThroughput"));
    if (request.billing_mode == BillingMode::PayPerRequest) {
      settings.shows_billing_mode = true;
      settings.last_on_demand = table.created;
    }
    if (const auto table_class = string_member(*request.body, "TableClass")) {
      settings.table_class = build_table_class(*table_class);
      settings.shows_table_class = true;
    }
  }
};

}  // namespace

Operation create_table_row() { return define<CreateTable>(); }

}  // namespace stator

#include "engine/tables/new_table.h"

#include <string>

#include "engine/call/settings.h"
#include "engine/tables/account_quotas.h"
#include "engine/tables/table_definition.h"
#include "protocol/errors/rule.h"
#include "protocol/service/common_errors.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

Result<void> check_billing(const JsonNode& body, BillingMode mode) {
  const JsonNode* throughput = body.find("ProvisionedThroughput");
  if (mode == BillingMode::PayPerRequest && throughput != nullptr) {
    return throughput_on_demand();
  }
  if (mode == BillingMode::Provisioned && throughput == nullptr) {
    return invalid_parameter(
               "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode "
               "is PROVISIONED")
        .with_rule(Rule::ThroughputGiven, {"ProvisionedThroughput"});
  }
  return check_throughput_bounds(throughput);
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

ThroughputSettings settings_of(const JsonNode& body, BillingMode mode, Timestamp now) {
  ThroughputSettings settings;
  settings.billing_mode = mode;
  settings.throughput = build_throughput(body.find("ProvisionedThroughput"));
  if (mode == BillingMode::PayPerRequest) {
    settings.shows_billing_mode = true;
    settings.last_on_demand = now;
  }
  return settings;
}

}  // namespace

BillingMode billing_mode_of(const JsonNode& body) {
  return string_member(body, "BillingMode") == "PAY_PER_REQUEST" ? BillingMode::PayPerRequest
                                                                 : BillingMode::Provisioned;
}

Result<void> check_new_table(const JsonNode& body, BillingMode mode) {
  STATOR_CHECK(check_billing(body, mode));
  return check_key_definitions(body, mode);
}

Result<void> check_new_maxima(const JsonNode& body, BillingMode mode) {
  const JsonNode* on_demand = body.find("OnDemandThroughput");
  STATOR_CHECK(check_on_demand_mode(on_demand, mode));
  STATOR_CHECK(check_on_demand(on_demand, "table", /*allows_removal=*/false));
  for (const JsonNode& index : list_member(body, "GlobalSecondaryIndexes")) {
    STATOR_CHECK(check_on_demand_mode(index.find("OnDemandThroughput"), mode));
  }
  return {};
}

Result<Table> build_new_table(const JsonNode& body, BillingMode mode, std::string_view scope,
                              const Snapshot& snapshot, Random& random, const Call& call) {
  const Timestamp now = snapshot.now();
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
  table.settings = settings_of(body, mode, now);
  build_keys_and_indexes(body, table);
  table.on_demand = build_on_demand(body.find("OnDemandThroughput"));
  table.warm = build_warm(body.find("WarmThroughput"), mode, table.settings.throughput);
  table.encryption = build_encryption(body.find("SSESpecification"), call, random);
  return table;
}

}  // namespace stator

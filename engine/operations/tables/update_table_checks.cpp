#include "engine/operations/tables/update_table_checks.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/operations/tables/update_table_indexes.h"
#include "engine/tables/table_definition.h"
#include "engine/tables/table_state.h"
#include "engine/tables/warm_throughput.h"
#include "protocol/errors/rule.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

constexpr const TypeSpec& kClassicShape = model::kClassicUpdateTableInput;

// Checks that the request changes anything; AttributeDefinitions alone and empty lists do not.
Result<void> check_not_empty(const JsonNode& body, Wording wording) {
  const auto& members = body.members();
  const bool has_change = std::any_of(members.begin(), members.end(), [](const JsonMember& member) {
    const auto known = [&](const FieldSpec& field) { return field.name == member.name; };
    const bool is_empty_list =
        member.value.kind() == JsonNode::Kind::Array && member.value.elements().empty();
    return member.name != "TableName" && member.name != "AttributeDefinitions" &&
           !member.value.is_null() && !is_empty_list &&
           std::any_of(model::kUpdateTableInput.fields.begin(),
                       model::kUpdateTableInput.fields.end(), known);
  });
  if (has_change) return {};
  if (wording.profile == Profile::Classic) {
    return Error::validation(
        "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
        "GlobalSecondaryIndexUpdates or "
        "SSESpecification or ReplicaUpdates is required");
  }
  return Error::validation(
      "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
      "GlobalSecondaryIndexUpdates, "
      "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, "
      "MultiRegionConsistency, "
      "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required");
}

// Allows one logical change per request. The order in which the text is chosen is the service's.
Result<void> check_combination(const JsonNode& body) {
  constexpr std::array<std::string_view, 9> kChanges{
      "BillingMode",         "ProvisionedThroughput",     "GlobalSecondaryIndexUpdates",
      "StreamSpecification", "SSESpecification",          "ReplicaUpdates",
      "TableClass",          "DeletionProtectionEnabled", "OnDemandThroughput"};
  const auto others_than = [&](std::string_view alone) {
    return std::any_of(kChanges.begin(), kChanges.end(),
                       [&](std::string_view c) { return c != alone && body.has(c); }) ||
           (alone != "WarmThroughput" && body.has("WarmThroughput"));
  };
  struct Alone {
    std::string_view member;
    std::string_view text;
  };
  constexpr std::array kAlone{
      Alone{"SSESpecification",
            "Server-Side Encryption modification must be the only operation in the request"},
      Alone{"TableClass", "TableClass modification must be the only operation in the request"},
      Alone{"DeletionProtectionEnabled",
            "DeletionProtection modification must be the only operation in the request"},
      Alone{"WarmThroughput", "WarmThroughput must be the only operation in the request"},
      Alone{"ReplicaUpdates", "Replica modification must be the only operation in the request"},
  };
  for (const Alone& rule : kAlone) {
    if (body.has(rule.member) && others_than(rule.member))
      return invalid_parameter(std::string(rule.text));
  }
  if (body.has("OnDemandThroughput") &&
      (body.has("ProvisionedThroughput") || body.has("StreamSpecification") ||
       body.has("GlobalSecondaryIndexUpdates"))) {
    return invalid_parameter(
        "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request");
  }
  const bool changes_throughput = body.has("ProvisionedThroughput");
  if (changes_throughput && body.has("StreamSpecification")) {
    return invalid_parameter("You cannot modify stream status while updating table IOPS");
  }
  if (changes_throughput && adds_or_removes_index(body)) {
    return invalid_parameter("You cannot create or delete index while updating table IOPS");
  }
  if (body.has("StreamSpecification") && adds_or_removes_index(body)) {
    return invalid_parameter("You cannot create or delete index while changing stream status");
  }
  return {};
}

// ---- against the table ----

bool changes_nothing_else(const JsonNode& body) {
  const auto& members = body.members();
  return std::all_of(members.begin(), members.end(), [](const JsonMember& member) {
    return member.name == "TableName" || member.name == "BillingMode" || member.value.is_null();
  });
}

Result<void> check_table_throughput(const JsonNode& body, const Table& table, Timestamp now) {
  const JsonNode* throughput = body.find("ProvisionedThroughput");
  const auto mode = string_member(body, "BillingMode");
  if (throughput == nullptr && !mode) return {};
  if (mode == "PAY_PER_REQUEST" && leaves_on_demand(table, now) && changes_nothing_else(body))
    return {};
  if (now < table.updating_until)
    return still_in_use("Table IOPS are currently being updated. Table: " + table.name);
  if (table.changes_stream(now))
    return stream_in_use(table, "Can't change table IOPS when stream status is being updated.");
  STATOR_CHECK(check_no_index_changing(table, now, "Can't change table IOPS"));
  const bool is_on_demand = table.settings.billing_mode == BillingMode::PayPerRequest;
  const bool becomes_on_demand = mode ? *mode == "PAY_PER_REQUEST" : is_on_demand;
  if (throughput == nullptr) return {};
  if (becomes_on_demand) {
    if (mode && !is_on_demand)
      return invalid_parameter(
                 "ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST")
          .with_rule(Rule::ThroughputOmitted);
    return throughput_on_demand();
  }
  if (!is_on_demand && build_throughput(throughput) == table.settings.throughput) {
    return will_not_change("table", table.settings.throughput);
  }
  return {};
}

Result<void> check_stream(const JsonNode& body, const Table& table, Timestamp now) {
  const JsonNode* stream = body.find("StreamSpecification");
  if (stream == nullptr) return {};
  if (table.changes_stream(now))
    return stream_in_use(table, "A stream status change is currently in progress.");
  if (class_update(table, now)) {
    return still_in_use(
        "Can't change stream status when a table class update is in progress. Table: " +
        table.name + class_update_text(table));
  }
  if (now < table.updating_until) {
    return still_in_use(
        "Can't enable or disable stream while table IOPS are being updated. Table: " + table.name);
  }
  STATOR_CHECK(check_no_index_allocating(table, now, "Can't change stream status"));
  if (*boolean_member(*stream, "StreamEnabled")) {
    if (table.has_enabled_stream())
      return Error::validation("Table already has an enabled stream: TableName: " + table.name);
    if (!stream->has("StreamViewType"))
      return invalid_parameter("If stream is being enabled then UpdateViewType is required");
    return {};
  }
  if (stream->has("StreamViewType")) {
    return invalid_parameter(
        "If stream is being disabled, then UpdateViewType must not be specified");
  }
  if (!table.has_enabled_stream())
    return Error::validation("Table has no stream to disable: TableName: " + table.name);
  return {};
}

Result<void> check_on_demand_mode(const JsonNode& body, const Table& table, Timestamp now) {
  const JsonNode* on_demand = body.find("OnDemandThroughput");
  if (on_demand == nullptr) return {};
  if (table.changes_stream(now)) {
    return stream_in_use(
        table, "OnDemandThroughput cannot be updated while stream status update is in progress.");
  }
  if (class_update(table, now)) {
    return still_in_use(
        "OnDemandThroughput cannot be updated while TableClass update is in "
        "progress." +
        class_update_text(table));
  }
  const auto mode = string_member(body, "BillingMode");
  const bool is_on_demand =
      mode ? *mode == "PAY_PER_REQUEST" : table.settings.billing_mode == BillingMode::PayPerRequest;
  if (is_on_demand) return {};
  const std::string_view member =
      on_demand->has("MaxReadRequestUnits") ? "MaxReadRequestUnits" : "MaxWriteRequestUnits";
  return invalid_parameter(
      std::string(member) +
      " for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED");
}

Result<void> check_encryption_change(const JsonNode& body, const Table& table, Timestamp now) {
  const JsonNode* sse = body.find("SSESpecification");
  if (sse == nullptr) return {};
  if (table.encryption && now < table.encryption->updating_until) {
    return still_in_use("Server-Side Encryption is still being updated");
  }
  const bool is_on = table.encryption && !table.encryption->is_gone(now);
  if (!boolean_member(*sse, "Enabled").value_or(false) && !is_on) {
    return invalid_parameter("Table is already encrypted by default");
  }
  return {};
}

Result<void> check_class_and_protection(const JsonNode& body, const Table& table, Timestamp now) {
  const auto is_allocating = [&](const GlobalIndex& index) { return index.is_allocating(now); };
  // A change of the class or of the stream does not conflict (conformance/observed/streams.md 2).
  const bool is_updating = now < table.updating_until && !class_update(table, now);
  if (body.has("DeletionProtectionEnabled") &&
      (is_updating ||
       std::any_of(table.global_indexes.begin(), table.global_indexes.end(), is_allocating))) {
    return Error::resource_in_use(
        "Table needs to be in ACTIVE status to modify deletion protection setting.");
  }
  if (body.has("TableClass") && table.changes_stream(now)) {
    return stream_in_use(table, "Can't update table class when stream status is being updated.");
  }
  if (body.has("TableClass") && now < table.updating_until) {
    return still_in_use(
        "Can't update table class when a table class update is in progress. Table: " + table.name +
        class_update_text(table));
  }
  return {};
}

}  // namespace

Result<void> check_update_request(const JsonNode& body, Call& call) {
  const TypeSpec& shape =
      call.wording.profile == Profile::Classic ? kClassicShape : model::kUpdateTableInput;
  STATOR_CHECK(check_types(body, shape));
  STATOR_CHECK(check_control_table_name(body));
  STATOR_CHECK(check_constraints(body, shape, call.wording));
  STATOR_CHECK(check_not_empty(body, call.wording));
  const JsonNode* throughput = body.find("ProvisionedThroughput");
  if (string_member(body, "BillingMode") == "PROVISIONED" && throughput == nullptr) {
    return invalid_parameter(
               "ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
        .with_rule(Rule::ThroughputGiven, {"ProvisionedThroughput"});
  }
  STATOR_CHECK(check_throughput_bounds(throughput));
  STATOR_CHECK(check_index_updates(body));
  STATOR_CHECK(check_combination(body));
  STATOR_CHECK(check_table_class(body));
  STATOR_CHECK(check_encryption(body.find("SSESpecification")));
  return check_on_demand(body.find("OnDemandThroughput"), "table", /*allows_removal=*/true);
}

Result<void> check_update_against(const JsonNode& body, const Table& table, Timestamp now) {
  STATOR_CHECK(check_class_and_protection(body, table, now));
  STATOR_CHECK(check_table_throughput(body, table, now));
  STATOR_CHECK(check_indexes_provisioned(body, table));
  STATOR_CHECK(check_index_changes(body, table, now));
  STATOR_CHECK(check_stream(body, table, now));
  STATOR_CHECK(check_encryption_change(body, table, now));
  STATOR_CHECK(check_on_demand_mode(body, table, now));
  return check_warm_raise(body.find("WarmThroughput"), table, nullptr, now);
}

std::string_view unbuilt_member(const JsonNode& body) {
  constexpr std::array<std::string_view, 6> kUnbuilt{"ReplicaUpdates",
                                                     "MultiRegionConsistency",
                                                     "GlobalTableWitnessUpdates",
                                                     "GlobalTableSettingsReplicationMode",
                                                     "VectorIndexUpdates",
                                                     "DisassociationProtectionEnabled"};
  const auto found = std::find_if(kUnbuilt.begin(), kUnbuilt.end(),
                                  [&](std::string_view name) { return body.has(name); });
  return found == kUnbuilt.end() ? std::string_view() : *found;
}

bool only_frees_space(const JsonNode& body) {
  const auto removes_index = [](const JsonNode& update) {
    return update.has("Delete") && !update.has("Create") && !update.has("Update");
  };
  const auto shrinks = [&](const JsonMember& member) {
    if (member.value.is_null() || member.name == "TableName" ||
        member.name == "AttributeDefinitions")
      return true;
    if (member.name == "StreamSpecification")
      return boolean_member(member.value, "StreamEnabled") == false;
    if (member.name == "DeletionProtectionEnabled")
      return boolean_member(body, member.name) == false;
    if (member.name != "GlobalSecondaryIndexUpdates") return false;
    const auto updates = member.value.elements();
    return std::all_of(updates.begin(), updates.end(), removes_index);
  };
  const auto members = body.members();
  return std::all_of(members.begin(), members.end(), shrinks);
}

}  // namespace stator

// CreateTable. The order of the checks is conformance/observed/errors.md 12.1.
#include "engine/call/settings.h"
#include "engine/catalog/catalog.h"
#include "engine/operations/define.h"
#include "engine/state/mutation.h"
#include "engine/tables/new_table.h"
#include "engine/tables/table_definition.h"
#include "engine/tables/table_description.h"
#include "engine/tables/table_state.h"
#include "engine/tables/table_stream.h"
#include "engine/tables/tags.h"
#include "protocol/errors/rule.h"
#include "protocol/model/shapes.h"
#include "protocol/policy/policy_document.h"
#include "protocol/service/limits.h"

namespace stator {
namespace {

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

Result<void> check_settings(const JsonNode& body, BillingMode mode) {
  STATOR_CHECK(check_stream(body));
  STATOR_CHECK(check_encryption(body.find("SSESpecification")));
  STATOR_CHECK(check_table_class(body));
  STATOR_CHECK(check_new_maxima(body, mode));
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
    std::string_view policy;  // in its stored form; empty without one
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kCreateTableInput));
    STATOR_CHECK(check_control_table_name(body));
    STATOR_CHECK(check_constraints(body, model::kCreateTableInput, call.wording));
    call.table_name = table_name_of(*string_member(body, "TableName"));
    const BillingMode mode = billing_mode_of(body);
    STATOR_CHECK(check_new_table(body, mode));
    STATOR_CHECK(check_settings(body, mode));
    std::string_view policy;
    if (const auto document = string_member(body, "ResourcePolicy")) {
      STATOR_TRY(const std::string stored, stored_policy(*document, PolicyOwner::Table));
      policy = call.arena.copy(stored);
    }
    for (const std::string_view member :
         {"GlobalTableSourceArn", "GlobalTableSettingsReplicationMode", "VectorIndexes"}) {
      if (body.find(member) != nullptr)
        return Error::unknown_operation().with_place(member);  // not supported yet
    }
    return call.arena.make<Request>(&body, mode, policy);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    const std::string_view scope = scope_of(call, call.arena);
    if (const Table* existing = snapshot.catalog().find(scope, call.table_name, snapshot.now())) {
      const std::string table_name(call.table_name);
      if (existing->restore) return still_in_use("Table is being used: " + table_name);
      if (existing->status(snapshot.now()) == TableStatus::Creating)
        return still_in_use("Table is being created: " + table_name);
      // Set-up scripts that run against DynamoDB Local match its text.
      if (call.settings->has_local_texts)
        return Error::resource_in_use("Cannot create preexisting table")
            .with_rule(Rule::TableIsNew);
      return Error::resource_in_use("Table already exists: " + table_name)
          .with_rule(Rule::TableIsNew, {table_name});
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
    const std::string_view given = *string_member(*request.body, "TableName");
    touch(given, request, touched);
    // The table is made in the Region of the request, whatever its ARN says.
    const std::string_view own_name = table_name_of(given);
    if (own_name != given) touch(own_name, request, touched);
  }

 private:
  static void touch(std::string_view table, const Request& request, Resources& touched) {
    const auto tags = list_member(*request.body, "Tags");
    touched.push_back({.table = table, .tags = tags});
    if (!tags.empty()) touched.push_back({.table = table, .action = "TagResource", .tags = tags});
    if (!request.policy.empty()) touched.push_back({.table = table, .action = "PutResourcePolicy"});
  }

  static Result<Table> build(const Request& request, std::string_view scope,
                             const Snapshot& snapshot, Random& random, const Call& call) {
    const JsonNode& body = *request.body;
    STATOR_TRY(Table table,
               build_new_table(body, request.billing_mode, scope, snapshot, random, call));
    if (const auto table_class = string_member(body, "TableClass")) {
      table.settings.table_class = build_table_class(*table_class);
      table.settings.shows_table_class = true;
    }
    table.deletion_protection = boolean_member(body, "DeletionProtectionEnabled").value_or(false);
    if (const JsonNode* stream = body.find("StreamSpecification");
        stream && *boolean_member(*stream, "StreamEnabled")) {
      STATOR_TRY(table.stream, build_stream(*stream, table, snapshot));
      table.stream->changing_until = table.creating_until;
    }
    for (const JsonNode& tag : list_member(body, "Tags")) {
      table.tags.emplace_back(*string_member(tag, "Key"), *string_member(tag, "Value"));
    }
    if (!request.policy.empty())
      table.policy = ResourcePolicy{std::string(request.policy), snapshot.now().unix_ms()};
    return table;
  }
};

}  // namespace

Operation create_table_row() { return define<CreateTable>(); }

}  // namespace stator

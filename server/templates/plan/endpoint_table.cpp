#include "server/templates/plan/endpoint_table.h"

#include <utility>

#include "protocol/json/json_writer.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/table_info.h"
#include "server/templates/plan/waits.h"

namespace stator::templates {

namespace {

using data::Ask;
using data::DynamodbClient;
using data::Failure;
using Kind = JsonNode::Kind;
using Done = tl::expected<void, Failure>;

const JsonNode* object_in(const JsonNode& object, std::string_view name) {
  return data::member_in(object, name, Kind::Object);
}

bool lacks_operation(const Failure& failure) {
  return failure.code == "UnknownOperationException" || failure.code == "AccessDeniedException";
}

std::optional<UnitsShape> warm_of(const JsonNode& described) {
  const JsonNode* const warm = object_in(described, "WarmThroughput");
  if (warm == nullptr) return std::nullopt;
  return read_units(*warm, "ReadUnitsPerSecond", "WriteUnitsPerSecond", {});
}

// What the body of a CreateTable lacks that read_schema() returns.
Done read_rest(const Ask& ask, TableState& state) {
  const auto answer = ask("DescribeTable", data::table_body(state.shape.name));
  if (!answer) return tl::unexpected(answer.error());
  const JsonNode* const table = object_in(*answer, "Table");
  if (table == nullptr) return {};
  state.arn = data::text_in(*table, "TableArn");
  state.item_count = data::count_in(*table, "ItemCount");
  state.shape.warm = warm_of(*table);
  const JsonNode* const encryption = object_in(*table, "SSEDescription");
  const std::string_view status =
      encryption != nullptr ? data::text_in(*encryption, "Status") : std::string_view();
  state.shape.is_encrypted = status == "ENABLED" || status == "ENABLING" || status == "UPDATING";
  const JsonNode* const indexes = table->find("GlobalSecondaryIndexes");
  if (indexes == nullptr || indexes->kind() != Kind::Array) return {};
  for (const JsonNode& node : indexes->elements()) {
    if (node.kind() != Kind::Object) continue;
    const std::string name(data::text_in(node, "IndexName"));
    const auto index = state.shape.global_indexes.find(name);
    if (index != state.shape.global_indexes.end()) index->second.warm = warm_of(node);
  }
  return {};
}

Done read_recovery(const Ask& ask, TableShape& shape) {
  const auto answer = ask("DescribeContinuousBackups", data::table_body(shape.name));
  if (!answer && lacks_operation(answer.error())) return {};
  if (!answer) return tl::unexpected(answer.error());
  const JsonNode* const all = object_in(*answer, "ContinuousBackupsDescription");
  const JsonNode* const recovery =
      all != nullptr ? object_in(*all, "PointInTimeRecoveryDescription") : nullptr;
  if (recovery == nullptr) return {};
  shape.recovery = DesiredRecovery{};
  shape.recovery->is_enabled = data::text_in(*recovery, "PointInTimeRecoveryStatus") == "ENABLED";
  const auto days = static_cast<int>(data::count_in(*recovery, "RecoveryPeriodInDays"));
  if (days != 0) shape.recovery->period_days = days;
  return {};
}

Done read_policy(const Ask& ask, TableState& state) {
  std::string body = "{\"ResourceArn\":";
  append_json_string(body, state.arn);
  body += '}';
  const auto answer = ask("GetResourcePolicy", body);
  const std::string code = answer ? std::string() : answer.error().code;
  if (code == "PolicyNotFoundException" || (!answer && lacks_operation(answer.error()))) return {};
  if (!answer) return tl::unexpected(answer.error());
  const std::string_view policy = data::text_in(*answer, "Policy");
  if (!policy.empty()) state.shape.policy = canonical_json(std::string(policy));
  return {};
}

InsightsShape insights_in(const JsonNode& described) {
  const std::string_view status = data::text_in(described, "ContributorInsightsStatus");
  return {status == "ENABLED" || status == "ENABLING",
          std::string(data::text_in(described, "ContributorInsightsMode"))};
}

// An index that is not there has none; the question is then for the table, to see whether the
// endpoint knows the operation.
Done read_insights(const Ask& ask, const std::set<std::string>& names, TableShape& shape) {
  for (const std::string& name : names) {
    const bool is_index_there = shape.global_indexes.contains(name);
    std::string body;
    JsonWriter json{body};
    json.begin_object();
    json.member("TableName", shape.name);
    if (is_index_there) json.member("IndexName", name);
    json.end_object();
    const auto answer = ask("DescribeContributorInsights", body);
    if (!answer && lacks_operation(answer.error())) continue;
    if (!answer) return tl::unexpected(answer.error());
    const bool is_there = name.empty() || is_index_there;
    shape.insights[name] = is_there ? insights_in(*answer) : InsightsShape{};
  }
  return {};
}

std::set<std::string> insights_asked(const StateQuestions& questions, const TableShape& shape) {
  std::set<std::string> names = questions.insights;
  if (!questions.all_insights) return names;
  names.emplace();
  for (const auto& [name, index] : shape.global_indexes) names.insert(name);
  return names;
}

// The destination that is enabled; a table has at most one such.
Done read_kinesis(const Ask& ask, TableShape& shape) {
  const auto answer = ask("DescribeKinesisStreamingDestination", data::table_body(shape.name));
  if (!answer && lacks_operation(answer.error())) return {};
  if (!answer) return tl::unexpected(answer.error());
  shape.kinesis = DesiredKinesis{};
  for (const JsonNode& one : destinations_in(*answer)) {
    const std::string_view status = data::text_in(one, "DestinationStatus");
    if (status != "ACTIVE" && status != "ENABLING" && status != "UPDATING") continue;
    shape.kinesis->stream_arn = data::text_in(one, "StreamArn");
    shape.kinesis->precision = data::text_in(one, "ApproximateCreationDateTimePrecision");
  }
  return {};
}

}  // namespace

StateQuestions questions_for(const TableShape& wanted) {
  StateQuestions questions{.recovery = wanted.recovery.has_value(),
                           .policy = !wanted.policy.empty(),
                           .kinesis = wanted.kinesis.has_value()};
  for (const auto& [name, insights] : wanted.insights) questions.insights.insert(name);
  return questions;
}

tl::expected<std::optional<TableState>, Failure> read_state(DynamodbClient& client,
                                                            const std::string& table,
                                                            const StateQuestions& questions) {
  const auto is_there = wait_settled(client, table);
  if (!is_there) return tl::unexpected(is_there.error());
  if (!*is_there) return std::nullopt;
  const auto info = data::describe_table(client, table);
  if (!info) return tl::unexpected(info.error());
  auto state = read_state_now(data::asking(client), table, info->arn, questions);
  if (!state) return tl::unexpected(std::move(state).error());
  return *std::move(state);
}

tl::expected<TableState, Failure> read_state_now(const Ask& ask, const std::string& table,
                                                 const std::string& arn,
                                                 const StateQuestions& questions) {
  auto schema = data::read_schema(ask, table, arn, {});
  if (!schema) return tl::unexpected(std::move(schema).error());
  auto shape = read_shape(schema->create_body);
  if (!shape) return tl::unexpected(Failure{"", table + ": " + shape.error()});
  TableState state;
  state.shape = *std::move(shape);
  state.shape.ttl_attribute = std::move(schema->ttl_attribute);
  state.knows_tags = schema->knows_tags;
  state.knows_ttl = schema->knows_ttl;
  state.is_unfinished = schema->is_seeding;
  Done read = read_rest(ask, state);
  if (read && questions.recovery) read = read_recovery(ask, state.shape);
  if (read && questions.policy) read = read_policy(ask, state);
  if (read && questions.kinesis) read = read_kinesis(ask, state.shape);
  if (read) read = read_insights(ask, insights_asked(questions, state.shape), state.shape);
  if (!read) return tl::unexpected(std::move(read).error());
  return state;
}

}  // namespace stator::templates

#include "server/templates/plan/carry_out.h"

#include <utility>

#include "protocol/json/json_writer.h"
#include "server/data/transfer/interrupt.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/table_info.h"
#include "server/data/transfer/table_schema.h"
#include "server/templates/plan/sample_items.h"
#include "server/templates/plan/update_steps.h"
#include "server/templates/plan/waits.h"

namespace stator::templates {

namespace {

using data::DynamodbClient;
using data::Failure;
using Done = tl::expected<void, Failure>;

Done wait_there(DynamodbClient& client, const std::string& table) {
  const auto is_there = wait_settled(client, table);
  if (!is_there) return tl::unexpected(is_there.error());
  if (!*is_there) return tl::unexpected(Failure{"", table + " was deleted meanwhile"});
  return {};
}

// An endpoint without contributor insights or Kinesis is no difference, so a new table there has
// none.
bool goes_without(const Step& step, const Failure& failure) {
  const bool is_optional =
      step.operation == "UpdateContributorInsights" || step.wait == Step::Wait::Kinesis;
  return is_optional && failure.code == "UnknownOperationException";
}

Done take_steps(DynamodbClient& client, const std::string& table, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (data::is_interrupted()) return tl::unexpected(Failure{"", "interrupted"});
    const auto done = client.call(step.operation, step.body);
    if (!done && goes_without(step, done.error())) continue;
    if (!done) return tl::unexpected(done.error());
    Done waited;
    if (step.wait == Step::Wait::Active) waited = wait_there(client, table);
    if (step.wait == Step::Wait::TimeToLive) waited = wait_ttl_settled(client, table);
    if (step.wait == Step::Wait::Kinesis) waited = wait_kinesis_settled(client, table);
    if (!waited) return waited;
  }
  return {};
}

// A destination whose stream is not there is taken, and fails later.
Done check_kinesis(DynamodbClient& client, const TableShape& wanted) {
  if (!wanted.kinesis || wanted.kinesis->stream_arn.empty()) return {};
  const auto answer =
      client.call("DescribeKinesisStreamingDestination", data::table_body(wanted.name));
  if (!answer) return {};  // an endpoint without Kinesis
  for (const JsonNode& one : destinations_in(*answer)) {
    if (data::text_in(one, "StreamArn") != wanted.kinesis->stream_arn ||
        data::text_in(one, "DestinationStatus") != "ENABLE_FAILED")
      continue;
    std::string why = wanted.name + ": its Kinesis destination cannot be enabled: ";
    return tl::unexpected(
        Failure{"", why.append(data::text_in(one, "DestinationStatusDescription"))});
  }
  return {};
}

// Waits until the table is gone.
Done drop(DynamodbClient& client, const std::string& table) {
  const auto dropped = client.call("DeleteTable", data::table_body(table));
  if (!dropped && dropped.error().code != data::kNoTable) return tl::unexpected(dropped.error());
  const auto is_there = wait_settled(client, table);
  if (!is_there) return tl::unexpected(is_there.error());
  if (*is_there) return tl::unexpected(Failure{"", table + " is there again after it was deleted"});
  return {};
}

Done load(DynamodbClient& client, const PlannedTable& planned) {
  const std::string& table = planned.wanted.name;
  const auto info = data::describe_table(client, table);
  if (!info) return tl::unexpected(info.error());
  if (Done put = put_items(client.endpoint(), table, *info, planned.table.items); !put) return put;
  std::string body;
  JsonWriter json{body};
  json.begin_object();
  json.member("ResourceArn", info->arn);
  json.key("TagKeys");
  json.begin_array();
  json.string(data::kSeedingTag);
  json.end_array();
  json.end_object();
  const auto untagged = client.call("UntagResource", body);
  // An endpoint without tags did not take this one either.
  if (!untagged && untagged.error().code != "UnknownOperationException")
    return tl::unexpected(untagged.error());
  return {};
}

Done create(DynamodbClient& client, const PlannedTable& planned) {
  std::string body = planned.table.create_body;
  if (planned.loads_items()) {
    auto tagged = data::with_tag(body, data::kSeedingTag);
    if (!tagged) return tl::unexpected(Failure{"", tagged.error() + ", and items need one more"});
    body = *std::move(tagged);
  }
  const auto made = client.call("CreateTable", body);
  if (!made) return tl::unexpected(made.error());
  const std::string& table = planned.wanted.name;
  Done done = data::wait_active(client, table, data::active_patience(client));
  if (done && planned.loads_items()) done = load(client, planned);
  if (!done) return done;
  if (done = finish_new(client, planned.wanted); !done) return done;
  return check_kinesis(client, planned.wanted);
}

}  // namespace

Done finish_new(DynamodbClient& client, const TableShape& wanted) {
  return take_steps(client, wanted.name, steps_after_create(wanted));
}

Done carry_out(DynamodbClient& client, const PlannedTable& planned) {
  switch (planned.action) {
    case Action::Unchanged:
      return {};
    case Action::Create:
      return create(client, planned);
    case Action::Replace:
      if (Done dropped = drop(client, planned.wanted.name); !dropped) return dropped;
      return create(client, planned);
    case Action::Update:
      break;
  }
  Done done = take_steps(client, planned.wanted.name, update_steps(planned.wanted, *planned.there));
  if (done && planned.there->is_unfinished) done = load(client, planned);
  return done ? check_kinesis(client, planned.wanted) : done;
}

Done prune(DynamodbClient& client, const PrunedTable& pruned) { return drop(client, pruned.name); }

}  // namespace stator::templates

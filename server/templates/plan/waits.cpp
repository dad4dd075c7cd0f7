#include "server/templates/plan/waits.h"

#include <chrono>
#include <optional>

#include "server/client/http_connection.h"
#include "server/data/transfer/interrupt.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/table_info.h"

namespace stator::templates {

namespace {

using data::DynamodbClient;
using data::Failure;
using Kind = JsonNode::Kind;

constexpr std::chrono::milliseconds kLookEvery{100};

// Looks until `look` returns something, an error included.
template <class Found, class Look>
tl::expected<Found, Failure> look_until(DynamodbClient& client, const std::string& what,
                                        const Look& look) {
  const std::chrono::milliseconds patience = data::active_patience(client);
  const auto began = std::chrono::steady_clock::now();
  for (;;) {
    if (const std::optional<tl::expected<Found, Failure>> found = look()) return *found;
    if (std::chrono::steady_clock::now() - began >= patience)
      return tl::unexpected(Failure{"", what + " after " + wait_text(patience)});
    if (data::wait_interrupted(kLookEvery)) return tl::unexpected(Failure{"", "interrupted"});
  }
}

// Whether the status of the table and of each index is ACTIVE. An endpoint may omit those of
// indexes.
bool is_settled(const JsonNode& table) {
  if (data::text_in(table, "TableStatus") != "ACTIVE") return false;
  const JsonNode* const indexes = table.find("GlobalSecondaryIndexes");
  if (indexes == nullptr || indexes->kind() != Kind::Array) return true;
  for (const JsonNode& index : indexes->elements()) {
    if (index.kind() != Kind::Object) continue;
    const std::string_view status = data::text_in(index, "IndexStatus");
    if (!status.empty() && status != "ACTIVE") return false;
  }
  return true;
}

}  // namespace

tl::expected<bool, Failure> wait_settled(DynamodbClient& client, const std::string& table) {
  using Found = tl::expected<bool, Failure>;
  return look_until<bool>(client, table + " is not ACTIVE", [&]() -> std::optional<Found> {
    const auto answer = client.call("DescribeTable", data::table_body(table));
    if (!answer && answer.error().code == data::kNoTable) return Found{false};
    if (!answer) return Found{tl::unexpected(answer.error())};
    const JsonNode* const described = answer->find("Table");
    if (described == nullptr || described->kind() != Kind::Object)
      return Found{
          tl::unexpected(Failure{"", "the endpoint's answer to DescribeTable has no table"})};
    if (is_settled(*described)) return Found{true};
    return std::nullopt;
  });
}

tl::expected<void, Failure> wait_ttl_settled(DynamodbClient& client, const std::string& table) {
  using Found = tl::expected<void, Failure>;
  const std::string what = table + ": time to live is still changing";
  return look_until<void>(client, what, [&]() -> std::optional<Found> {
    const auto answer = client.call("DescribeTimeToLive", data::table_body(table));
    if (!answer) return Found{tl::unexpected(answer.error())};
    const JsonNode* const told = answer->find("TimeToLiveDescription");
    const bool is_object = told != nullptr && told->kind() == Kind::Object;
    const std::string_view status =
        is_object ? data::text_in(*told, "TimeToLiveStatus") : std::string_view();
    if (status == "ENABLING" || status == "DISABLING") return std::nullopt;
    return Found{};
  });
}

tl::expected<void, Failure> wait_kinesis_settled(DynamodbClient& client, const std::string& table) {
  using Found = tl::expected<void, Failure>;
  const std::string what = table + ": its Kinesis destination is still changing";
  return look_until<void>(client, what, [&]() -> std::optional<Found> {
    const auto answer = client.call("DescribeKinesisStreamingDestination", data::table_body(table));
    if (!answer) return Found{tl::unexpected(answer.error())};
    for (const JsonNode& one : destinations_in(*answer)) {
      const std::string_view status = data::text_in(one, "DestinationStatus");
      if (status == "ENABLING" || status == "DISABLING" || status == "UPDATING")
        return std::nullopt;
    }
    return Found{};
  });
}

std::vector<JsonNode> destinations_in(const JsonNode& described) {
  std::vector<JsonNode> found;
  const JsonNode* const list =
      data::member_in(described, "KinesisDataStreamDestinations", Kind::Array);
  if (list == nullptr) return found;
  for (const JsonNode& one : list->elements())
    if (one.kind() == Kind::Object) found.push_back(one);
  return found;
}

}  // namespace stator::templates

// What an endpoint has of a table, for comparison with what a template asks.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "server/data/transfer/dynamodb_client.h"
#include "server/data/transfer/table_schema.h"
#include "server/templates/plan/table_shape.h"

namespace stator::templates {

struct TableState {
  TableShape shape;
  std::string arn;
  std::uint64_t item_count = 0;  // from DescribeTable, which lags in the cloud
  // What the endpoint does not know is not compared.
  bool knows_tags = true;
  bool knows_ttl = true;
  // The table's items were being loaded when that ended.
  bool is_unfinished = false;
};

// Members that take a request of their own, which may need rights of its own.
struct StateQuestions {
  bool recovery = false;
  bool policy = false;
  bool kinesis = false;
  // Of which indexes the contributor insights; an empty name stands for the table.
  std::set<std::string> insights = {};
  bool all_insights = false;  // of the table and each of its global indexes
};

// The questions that the comparison with `wanted` needs.
StateQuestions questions_for(const TableShape& wanted);

// Reads a table, by requests that change nothing. Empty if there is none. Waits while the table or
// one of its indexes is changing, at most active_patience().
tl::expected<std::optional<TableState>, data::Failure> read_state(data::DynamodbClient& client,
                                                                  const std::string& table,
                                                                  const StateQuestions& questions);
// As above, of a table with this ARN, as it is now: does not wait.
tl::expected<TableState, data::Failure> read_state_now(const data::Ask& ask,
                                                       const std::string& table,
                                                       const std::string& arn,
                                                       const StateQuestions& questions);

}  // namespace stator::templates

// Query: the items of one partition of a table or index, in the order of the sort key.
#include <algorithm>
#include <string>

#include "engine/items/key_paths.h"
#include "engine/operations/define.h"
#include "engine/operations/reads/key_range.h"
#include "engine/operations/reads/page.h"
#include "engine/operations/reads/read_request.h"
#include "engine/operations/reads/start_key.h"
#include "engine/operations/request_members.h"
#include "protocol/expression/key_condition.h"
#include "protocol/expression/legacy_conditions.h"
#include "protocol/expression/legacy_projection.h"
#include "protocol/expression/placeholders.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

constexpr const TypeSpec& kShape = model::kQueryInput;

struct Query {
  static constexpr std::string_view name = "Query";
  static constexpr Layer layer = Layer::Bare;

  struct Request {
    ReadRequest read;
    bool is_legacy_filter;
    std::span<const expr::KeyCondition> conditions;
    storage::Direction direction;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, kShape));
    STATOR_CHECK(check_constraints(body, kShape, call.wording));
    Request request{};
    request.read = read_common_members(body, call);
    STATOR_CHECK(check_members(body, call.wording));
    STATOR_TRY(request.read.filter,
               expr::read_filter(body, "QueryFilter", call.wording, call.arena));
    request.is_legacy_filter = request.read.filter != nullptr;
    STATOR_TRY(request.read.projection, expr::read_attributes_to_get(body, call.arena));
    STATOR_TRY(request.read.start_key, read_start_key(body, call.wording, call.arena));
    if (body.find("KeyConditions") == nullptr && body.find("KeyConditionExpression") == nullptr) {
      return Error::validation(
          "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
          "request.");
    }
    STATOR_TRY(const expr::Condition* key_condition, parse_expressions(body, request.read, call));
    request.read.filter_paths = paths_of(request.read.filter, call.arena);
    if (key_condition != nullptr) {
      STATOR_TRY(request.conditions,
                 expr::read_key_conditions(*key_condition, call.wording, call.arena));
    } else {
      STATOR_TRY(request.conditions, expr::read_key_conditions(body, call.wording, call.arena));
    }
    STATOR_TRY(request.read.select, parse_select(body, /*is_query=*/true, call.wording));
    const bool is_forward = boolean_member(body, "ScanIndexForward").value_or(true);
    request.direction = is_forward ? storage::Direction::Forward : storage::Direction::Backward;
    return call.arena.make<Request>(request);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    const ReadRequest& read = request.read;
    STATOR_TRY(const ReadTarget target,
               find_read_target(read.table_name, read.index_name, snapshot, call));
    if (read.start_key) STATOR_CHECK(check_query_start_key(target, *read.start_key));
    STATOR_TRY(KeyRange range, key_range(target, request.conditions, call.wording, call.arena));
    if (read.start_key) {
      const storage::StoreKey place = store_key(target, *read.start_key, call.arena);
      STATOR_CHECK(check_start_in_range(target, range, place));
      begin_behind(range.sort, place.sort, request.direction, call.arena);
    }
    STATOR_CHECK(check_paths(target, request));
    storage::RecordCursor cursor(snapshot.transaction(), target.space());
    STATOR_CHECK(cursor.seek_range(range.partition, range.sort, request.direction));
    const HashWalk walk{.is_one_item = range.is_one_item};
    return answer_page(target, read, walk, cursor, snapshot, call);
  }

 private:
  // Which members go together.
  static Result<void> check_members(const JsonNode& body, Wording wording) {
    const bool has_key_expression = body.find("KeyConditionExpression") != nullptr;
    // KeyConditions go with the other expressions.
    if (has_key_expression) {
      STATOR_CHECK(check_not_mixed(
          body, {"AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"},
          {"ProjectionExpression", "FilterExpression", "KeyConditionExpression"}, wording));
    } else {
      STATOR_CHECK(check_not_mixed(body, {"AttributesToGet", "QueryFilter", "ConditionalOperator"},
                                   {"ProjectionExpression", "FilterExpression"}, wording));
    }
    const bool may_use_values = has_key_expression || body.find("FilterExpression") != nullptr;
    return expr::Placeholders::check_wanted(
        body, may_use_values || body.find("ProjectionExpression") != nullptr,
        may_use_values ? "" : "FilterExpression and KeyConditionExpression are null", wording);
  }

  // Filter and projection go into the request; the key condition is returned, nullptr without one.
  static Result<const expr::Condition*> parse_expressions(const JsonNode& body, ReadRequest& read,
                                                          Call& call) {
    STATOR_TRY(auto placeholders,
               expr::Placeholders::read(body, call.wording, call.arena, call.expressions));
    const expr::Condition* key_condition = nullptr;
    if (const auto text = string_member(body, "KeyConditionExpression")) {
      STATOR_TRY(key_condition,
                 expr::parse_key_condition(*text, placeholders, call.wording, call.arena));
    }
    STATOR_CHECK(parse_filter_and_projection(body, placeholders, read, call));
    STATOR_CHECK(placeholders.check_all_used(call.wording));
    return key_condition;
  }

  static void begin_behind(storage::SortRange& range, std::string_view sort,
                           storage::Direction direction, Arena& arena) {
    if (direction == storage::Direction::Backward) {
      range.upper = sort;
      return;
    }
    std::string behind(sort);
    behind.push_back('\0');
    range.lower = arena.copy(std::string_view(behind));
  }

  static Result<void> check_paths(const ReadTarget& target, const Request& request) {
    const ReadRequest& read = request.read;
    STATOR_CHECK(check_key_paths(*target.table, read.projection));
    for (const auto keys : {target.partition_keys(), target.sort_keys()}) {
      for (const KeyAttribute& key : keys) {
        const bool is_filtered =
            std::any_of(read.filter_paths.begin(), read.filter_paths.end(),
                        [&](const expr::Path& path) { return path.front().name == key.name; });
        if (!is_filtered) continue;
        return Error::validation(
            std::string(request.is_legacy_filter ? "QueryFilter" : "Filter Expression") +
            " can only contain non-primary key attributes: Primary key attribute: " + key.name);
      }
    }
    STATOR_CHECK(check_selected(target, read));
    return check_key_paths(*target.table, read.filter_paths);
  }
};

}  // namespace

Operation query_row() { return define<Query>(); }

}  // namespace stator

// ExecuteStatement: one PartiQL statement.
#include "engine/operations/answer_members.h"
#include "engine/operations/define.h"
#include "engine/operations/items/item_requests.h"
#include "engine/operations/partiql/select.h"
#include "engine/operations/partiql/statement_plans.h"
#include "engine/operations/partiql/statement_request.h"
#include "engine/operations/partiql/write_answers.h"
#include "protocol/model/shapes.h"

namespace stator {
namespace {

struct ExecuteStatement {
  static constexpr std::string_view name = "ExecuteStatement";
  static constexpr Layer layer = Layer::Classic;

  struct Request {
    StatementRequest statement;
    SelectOptions options;
    bool returns_old_on_failure;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kExecuteStatementInput));
    STATOR_CHECK(check_constraints(body, model::kExecuteStatementInput, call.wording));
    STATOR_TRY(const auto parameters, parse_parameters(body, call));
    STATOR_TRY(const StatementRequest statement, parse_statement(body, parameters, call));
    if (statement.lowered->kind == partiql::Statement::Kind::Exists) {
      return Error::validation("EXISTS can only be used in ExecuteTransaction write requests.");
    }
    SelectOptions options;
    options.is_consistent = boolean_member(body, "ConsistentRead").value_or(false);
    if (const auto limit = integer_member(body, "Limit"))
      options.limit = static_cast<std::size_t>(*limit);
    options.next_token = string_member(body, "NextToken");
    options.return_consumed_capacity = parse_return_consumed_capacity(body);
    call.consistent_read = options.is_consistent;
    call.table_name = statement.lowered->table;
    return call.arena.make<Request>(
        statement, options,
        string_member(body, "ReturnValuesOnConditionCheckFailure") == "ALL_OLD");
  }

  static Access access(const Request& request) {
    return request.statement.lowered->is_read() ? Access::Read : Access::Write;
  }

  static bool only_frees_space(const Request& request) {
    return request.statement.lowered->kind == partiql::Statement::Kind::Delete;
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    return select_page(request.statement, request.options, snapshot, call);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    const partiql::Lowered& statement = *request.statement.lowered;
    STATOR_TRY(const Table* table, snapshot.item_table(call, statement.table));
    STATOR_TRY(const WritePlan plan, write_plan(statement, *table, call.arena));
    STATOR_TRY(const Decision decision, decide_write(*table, plan, snapshot, mutation, call));
    if (decision.condition_failed) {
      return statement_failed(statement, decision, request.returns_old_on_failure, call.wording);
    }
    enter(decision, mutation);
    render(request, decision, call);
    return {};
  }

  static void resources(const Request& request, Resources& touched) {
    touched.push_back(
        touched_statement(*request.statement.lowered, request.returns_old_on_failure));
  }

 private:
  static void render(const Request& request, const Decision& decision, Call& call) {
    const partiql::Lowered& statement = *request.statement.lowered;
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("Items");
    out.begin_array();
    const ReturnedItem item(statement, decision, call.arena);
    if (!item.is_empty()) {
      out.before_value();
      item.append_json(out.out());
    }
    out.end_array();
    write_consumed_capacity(out, request.options.return_consumed_capacity, statement.table,
                            decision.charges);
    out.end_object();
  }
};

}  // namespace

Operation execute_statement_row() { return define<ExecuteStatement>(); }

}  // namespace stator

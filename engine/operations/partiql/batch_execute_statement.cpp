// BatchExecuteStatement: up to 25 statements, all reads or all writes of different items. Each
// succeeds or fails alone.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/capacity/throttling_error.h"
#include "engine/items/duplicate_keys.h"
#include "engine/items/stored_item.h"
#include "engine/operations/batches/batch_requests.h"
#include "engine/operations/define.h"
#include "engine/operations/items/item_answers.h"
#include "engine/operations/items/item_requests.h"
#include "engine/operations/partiql/key_reads.h"
#include "engine/operations/partiql/select.h"
#include "engine/operations/partiql/statement_plans.h"
#include "engine/operations/partiql/statement_request.h"
#include "engine/operations/partiql/write_answers.h"
#include "engine/operations/transactions/cancellation.h"
#include "engine/operations/transactions/transaction_requests.h"
#include "protocol/errors/stored_error.h"
#include "protocol/model/shapes.h"
#include "protocol/service/limits.h"

namespace stator {
namespace {

struct BatchStatement {
  StatementRequest statement;
  // Why its text is rejected; nullptr if it is valid.
  const StoredError* refusal = nullptr;
  bool is_consistent = false;
  bool returns_old_on_failure = false;
};

// Result of one statement.
struct Outcome {
  const Table* table = nullptr;
  PrimaryKey key = {};
  std::optional<WritePlan> write = {};
  std::optional<GetPlan> lookup = {};
  std::optional<Error> error = {};
  bool names_table = false;  // for the error
};

// Transactions have one reason code for both limits of an on-demand table.
std::string_view code_of(const Error& error) {
  if (error.code() == ErrorCode::RequestLimitExceeded) return "RequestLimitExceeded";
  if (error.code() == ErrorCode::AccessDenied) return "AccessDenied";
  if (error.code() == ErrorCode::InternalServerError) return "InternalServerError";
  return reason_code(error);
}

void write_error(JsonWriter& out, const Outcome& outcome, std::string_view table_name) {
  out.begin_object();
  out.key("Error");
  out.begin_object();
  out.member("Code", code_of(*outcome.error));
  out.member("Message", std::string_view(outcome.error->message()));
  out.end_object();
  if (outcome.names_table) out.member("TableName", table_name);
  out.end_object();
}

void note_error(std::size_t place, const Error& error, Call& call) {
  if (capacity::is_throttled(error)) ++call.undone.throttled;
  if (call.undone.parts++ > 0) return;
  call.undone.first_place = static_cast<std::int32_t>(place) + 1;
  call.undone.first_error =
      call.arena.copy(std::string_view(std::string(code_of(error)) + ": " + error.message()));
}

struct BatchExecuteStatement {
  static constexpr std::string_view name = "BatchExecuteStatement";
  static constexpr Layer layer = Layer::Classic;

  struct Request {
    std::span<const BatchStatement> members;
    bool is_read;
    ReturnConsumedCapacity return_consumed_capacity;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kBatchExecuteStatementInput));
    STATOR_CHECK(check_constraints(body, model::kBatchExecuteStatementInput, call.wording));
    const auto nodes = list_member(body, "Statements");
    const auto members = call.arena.allocate_array<BatchStatement>(nodes.size());
    bool has_reads = false;
    bool has_writes = false;
    call.consistent_read = false;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      members[i] = {};
      members[i].is_consistent = boolean_member(nodes[i], "ConsistentRead").value_or(false);
      members[i].returns_old_on_failure =
          string_member(nodes[i], "ReturnValuesOnConditionCheckFailure") == "ALL_OLD";
      call.consistent_read = call.consistent_read || members[i].is_consistent;
      if (auto statement = parse_member(nodes[i], call)) {
        members[i].statement = *statement;
        if (statement->lowered->refusal != nullptr) continue;
        (statement->lowered->is_read() ? has_reads : has_writes) = true;
        if (call.table_name.empty()) call.table_name = statement->lowered->table;
      } else {
        members[i].refusal = stored(statement.error(), call.arena);
      }
    }
    for (const DeniedMember& denied : call.denied_members) {
      BatchStatement& member = members[denied.place];
      member.statement = {};
      member.refusal =
          stored(Error(ErrorCode::AccessDenied, std::string(denied.message)), call.arena);
    }
    if (has_reads && has_writes) {
      return Error::validation(
          "Read and write requests together in the same batch is not supported.");
    }
    return call.arena.make<Request>(std::span<const BatchStatement>(members), !has_writes,
                                    parse_return_consumed_capacity(body));
  }

  static Access access(const Request& request) {
    return request.is_read ? Access::Read : Access::Write;
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(std::vector<Outcome> outcomes, prepare(request, snapshot, call));
    TransactionCapacity capacity;
    JsonWriter out(call.reply);
    begin(out);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      Outcome& outcome = outcomes[i];
      const partiql::Lowered* const statement = request.members[i].statement.lowered;
      if (outcome.error) {
        note_error(i, *outcome.error, call);
        write_error(out, outcome, statement != nullptr ? statement->table : std::string_view());
        continue;
      }
      STATOR_TRY(const ItemRead read,
                 read_item(*outcome.table, outcome.key, outcome.lookup->is_consistent, snapshot));
      STATOR_CHECK(call.work.go_on(read.stored.size_bytes()));
      if (auto throttled = call.charging.admit({*outcome.table, {&read.charge, 1}},
                                               capacity::Dimension::Read, snapshot.now())) {
        outcome.error.emplace(std::move(*throttled));
        outcome.names_table = true;
        note_error(i, *outcome.error, call);
        write_error(out, outcome, statement->table);
        continue;
      }
      capacity.add(*outcome.table, statement->table, {&read.charge, 1});
      write_read(out, read.stored, *statement, call);
      call.charge_response();
    }
    finish(request, capacity, out, call);
    return {};
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(std::vector<Outcome> outcomes, prepare(request, snapshot, call));
    TransactionCapacity capacity;
    DecidedCollections decided;
    const WriteContext context = write_context(snapshot, mutation, call, &decided);
    JsonWriter out(call.reply);
    call.undone = {};  // this may run a second time
    begin(out);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      Outcome& outcome = outcomes[i];
      const partiql::Lowered* const statement = request.members[i].statement.lowered;
      if (!outcome.error) {
        auto decision = decide(*outcome.table, outcome.key, *outcome.write, context);
        if (!decision && decision.error().code() == ErrorCode::InternalServerError)
          return std::move(decision).error();
        if (decision) STATOR_CHECK(call.work.go_on(steps_of(*outcome.write, *decision)));
        fail(outcome, *statement, decision, snapshot, call);
        if (!outcome.error) {
          enter(*decision, mutation);
          decided.add(*decision);
          capacity.add(*outcome.table, statement->table, decision->charges);
          write_written(out, *statement, *decision, call);
          continue;
        }
      }
      note_error(i, *outcome.error, call);
      write_error(out, outcome, statement != nullptr ? statement->table : std::string_view());
    }
    finish(request, capacity, out, call);
    return {};
  }

  static bool only_frees_space(const Request& request) {
    return std::ranges::all_of(request.members, [](const BatchStatement& member) {
      const partiql::Lowered* const statement = member.statement.lowered;
      return statement == nullptr || statement->kind == partiql::Statement::Kind::Delete;
    });
  }

  static void resources(const Request& request, Resources& touched) {
    for (std::size_t i = 0; i < request.members.size(); ++i) {
      const BatchStatement& member = request.members[i];
      if (member.statement.lowered == nullptr) continue;  // fails alone, without a look at a table
      touched.push_back(
          touched_statement(*member.statement.lowered, member.returns_old_on_failure));
      touched.back().member = i;
    }
  }

 private:
  static Result<StatementRequest> parse_member(const JsonNode& node, Call& call) {
    STATOR_TRY(const auto parameters, parse_parameters(node, call));
    STATOR_TRY(const StatementRequest statement, parse_statement(node, parameters, call));
    if (statement.lowered->kind == partiql::Statement::Kind::Exists)
      return Error::validation("EXISTS can only be used in ExecuteTransaction write requests.");
    return statement;
  }

  // Finds the item of each member. Two members on one item are an error of the whole request.
  static Result<std::vector<Outcome>> prepare(const Request& request, const Snapshot& snapshot,
                                              Call& call) {
    std::vector<Outcome> outcomes;
    std::vector<LocatedKey> keys;
    for (const BatchStatement& member : request.members) {
      Outcome& outcome = outcomes.emplace_back();
      if (auto located = locate_member(member, outcome, snapshot, call); !located) {
        if (located.error().code() == ErrorCode::InternalServerError)
          return std::move(located).error();
        outcome.error.emplace(std::move(located).error());
      } else {
        keys.push_back({outcome.table, outcome.key});
      }
    }
    if (has_duplicates(std::span<const LocatedKey>(keys))) return duplicate_keys();
    for (const FailedMember& failed : call.failed_members) {
      Outcome& outcome = outcomes[failed.place];
      if (outcome.error) continue;
      outcome.error.emplace(error_of(*failed.error));
      outcome.names_table = true;
    }
    return outcomes;
  }

  static Result<void> locate_member(const BatchStatement& member, Outcome& outcome,
                                    const Snapshot& snapshot, Call& call) {
    if (member.statement.lowered == nullptr) return error_of(*member.refusal);
    const partiql::Lowered& statement = *member.statement.lowered;
    if (statement.refusal != nullptr) return refusal(statement, snapshot, call);
    STATOR_TRY(outcome.table, snapshot.item_table(call, statement.table));
    if (statement.is_read()) {
      outcome.lookup = lookup_plan(statement, *outcome.table, member.is_consistent, call.arena);
      if (!outcome.lookup) {
        STATOR_CHECK(check_single_keys(statement, *outcome.table, snapshot.now()));
        if (!statement.index)
          STATOR_CHECK(check_key_reads(statement, *outcome.table, call.wording, call.arena));
        return Error::validation(
            "Select statements within BatchExecuteStatement must specify the primary key in the "
            "where clause.");
      }
      STATOR_TRY(outcome.key, locate(*outcome.table, *outcome.lookup));
      return {};
    }
    STATOR_TRY(outcome.write, write_plan(statement, *outcome.table, call.arena));
    STATOR_TRY(outcome.key, locate(*outcome.table, *outcome.write));
    return {};
  }

  static void fail(Outcome& outcome, const partiql::Lowered& statement, Result<Decision>& decision,
                   const Snapshot& snapshot, Call& call) {
    outcome.names_table = true;
    if (snapshot.is_held({outcome.table, outcome.key})) {
      outcome.error.emplace(transaction_conflict());
    } else if (!decision) {
      outcome.error.emplace(std::move(decision).error());
    } else if (auto throttled = call.charging.admit(charged_event(*decision),
                                                    capacity::Dimension::Write, snapshot.now())) {
      outcome.error.emplace(std::move(*throttled));
    } else if (decision->condition_failed) {
      outcome.error.emplace(
          statement_failed(statement, *decision, /*shows_item=*/false, call.wording));
    }
  }

  static void begin(JsonWriter& out) {
    out.begin_object();
    out.key("Responses");
    out.begin_array();
  }

  static void write_read(JsonWriter& out, const StoredItem& stored,
                         const partiql::Lowered& statement, Call& call) {
    out.begin_object();
    out.member("TableName", statement.table);
    if (stored.exists() && has_any_column(stored, statement, call.arena)) {
      out.key("Item");
      write_columns(out, stored.record(), statement.columns, call.arena);
    }
    out.end_object();
  }

  static void write_written(JsonWriter& out, const partiql::Lowered& statement,
                            const Decision& decision, Call& call) {
    out.begin_object();
    out.member("TableName", statement.table);
    const ReturnedItem item(statement, decision, call.arena);
    if (!item.is_empty()) {
      out.key("Item");
      out.before_value();
      item.append_json(out.out());
    }
    out.end_object();
  }

  static void finish(const Request& request, const TransactionCapacity& capacity, JsonWriter& out,
                     Call& call) {
    out.end_array();
    record_units(call, capacity.tables());
    if (!capacity.tables().empty())
      write_consumed_capacities(out, request.return_consumed_capacity, capacity.tables());
    out.end_object();
  }
};

}  // namespace

Operation batch_execute_statement_row() { return define<BatchExecuteStatement>(); }

}  // namespace stator

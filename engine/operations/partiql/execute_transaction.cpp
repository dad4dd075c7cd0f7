// ExecuteTransaction: up to 100 statements, all reads or all writes of different items; all succeed
// or none.
#include <algorithm>
#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/items/duplicate_keys.h"
#include "engine/operations/define.h"
#include "engine/operations/partiql/key_reads.h"
#include "engine/operations/partiql/select.h"
#include "engine/operations/partiql/statement_plans.h"
#include "engine/operations/partiql/statement_request.h"
#include "engine/operations/transactions/cancellation.h"
#include "engine/operations/transactions/read_transaction.h"
#include "engine/operations/transactions/write_transaction.h"
#include "protocol/errors/stored_error.h"
#include "protocol/model/shapes.h"
#include "protocol/partiql/statement_cache.h"
#include "protocol/service/limits.h"
#include "protocol/values/item_size.h"

namespace stator {
namespace {

using Kind = partiql::Statement::Kind;

struct TransactStatement {
  StatementRequest statement;
  // For a rejected statement, reported if its table exists.
  const StoredError* refusal = nullptr;
  std::string_view table_name = {};
  Kind kind = Kind::Select;
  bool returns_old_on_failure = false;
};

Error failed_in(std::size_t place, Error reason) {
  const std::string statement = "TransactStatements[" + std::to_string(place) + "]";
  return std::move(reason).within("Validation failed in " + statement + ": ").with_place(statement);
}

struct ExecuteTransaction {
  static constexpr std::string_view name = "ExecuteTransaction";
  static constexpr Layer layer = Layer::Classic;

  struct Request {
    std::span<const TransactStatement> members;
    bool is_read;
    ReturnConsumedCapacity return_consumed_capacity;
    ClientToken token;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kExecuteTransactionInput));
    STATOR_CHECK(check_constraints(body, model::kExecuteTransactionInput, call.wording));
    const auto nodes = list_member(body, "TransactStatements");
    const auto members = call.arena.allocate_array<TransactStatement>(nodes.size());
    const auto parameters = call.arena.allocate_array<std::span<const Value>>(nodes.size());
    std::size_t payload_bytes = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      STATOR_TRY(parameters[i], parse_parameters(nodes[i], call));
      for (const Value& value : parameters[i]) payload_bytes += value_size_bytes(value);
    }
    if (payload_bytes > limits::kTransactionBytesMax) return payload_too_large(payload_bytes);
    std::size_t reads = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      STATOR_TRY(const Kind kind, parse_member(nodes[i], parameters[i], i, members[i], call));
      if (kind == Kind::Select) ++reads;
    }
    if (reads != 0 && reads != members.size()) {
      return Error::validation(
          "ExecuteTransaction API does not support both read and write operations in the same "
          "request.");
    }
    call.table_name = members.front().table_name;
    return call.arena.make<Request>(
        std::span<const TransactStatement>(members), reads != 0,
        parse_return_consumed_capacity(body),
        parse_client_token(body, *body.find("TransactStatements"), call));
  }

  static Access access(const Request& request) {
    return request.is_read ? Access::Read : Access::Write;
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Call& call) {
    STATOR_TRY(const auto tables, find_tables(request, snapshot, call));
    std::vector<GetAction> actions;
    LocatedActions located;
    CancellationReasons reasons(tables.size(), call);
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const partiql::Lowered& statement = *request.members[i].statement.lowered;
      const auto plan = lookup_plan(statement, *tables[i], /*is_consistent=*/true, call.arena);
      assert(plan);  // otherwise find_tables() would have failed
      actions.push_back({statement.table, *plan});
      add_key(i, *tables[i], *plan, located, reasons);
    }
    STATOR_CHECK(check_keys(located, std::move(reasons)));
    if (auto conflicts = find_conflicts(located.keys, snapshot, call)) return std::move(*conflicts);
    TransactionCapacity capacity;
    STATOR_TRY(const std::vector<ItemRead> items,
               read_transaction(actions, located.keys, snapshot, call, capacity));
    record_units(call, capacity.tables());
    return render(request, items, capacity, call);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(const auto tables, find_tables(request, snapshot, call));
    std::vector<WriteAction> actions;
    LocatedActions located;
    CancellationReasons reasons(tables.size(), call);
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const TransactStatement& member = request.members[i];
      const partiql::Lowered& statement = *member.statement.lowered;
      auto plan = transaction_plan(statement, *tables[i], call.arena);
      if (!plan) {
        reasons.add(i, std::move(plan).error());
        continue;
      }
      STATOR_CHECK(check_keys_not_empty(*tables[i], *plan));
      actions.push_back(
          {statement.table, *plan, member.returns_old_on_failure, statement.kind == Kind::Insert});
      add_key(i, *tables[i], *plan, located, reasons);
    }
    STATOR_CHECK(check_keys(located, std::move(reasons)));
    const WriteTransaction transaction{actions,
                                       request.return_consumed_capacity,
                                       /*wants_collection_metrics=*/false,
                                       request.token,
                                       storage::TokenKind::ExecuteTransaction,
                                       /*has_responses=*/true};
    return run_write_transaction(transaction, std::move(located), snapshot, mutation, call);
  }

  static bool only_frees_space(const Request& request) {
    bool has_delete = false;
    for (const TransactStatement& member : request.members) {
      if (member.statement.lowered == nullptr) continue;
      const Kind kind = member.statement.lowered->kind;
      if (kind != Kind::Delete && kind != Kind::Exists) return false;
      has_delete = has_delete || kind == Kind::Delete;
    }
    return has_delete;
  }

  static void resources(const Request& request, Resources& touched) {
    for (const TransactStatement& member : request.members) {
      const partiql::Lowered* const lowered = member.statement.lowered;
      if (member.table_name.empty()) continue;  // rejected without a look at a table
      // A rejected statement, too, shows whether its table exists.
      touched.push_back(lowered != nullptr
                            ? touched_statement(*lowered, member.returns_old_on_failure)
                            : touched_rejected(member.table_name, member.kind));
      touched.back().enclosing_operation = name;
    }
  }

 private:
  // Error only if the text does not parse; other errors are stored in the member.
  static Result<Kind> parse_member(const JsonNode& node, std::span<const Value> parameters,
                                   std::size_t place, TransactStatement& member, Call& call) {
    member = {};
    member.returns_old_on_failure =
        string_member(node, "ReturnValuesOnConditionCheckFailure") == "ALL_OLD";
    auto parsed = call.statements->parse(*string_member(node, "Statement"));
    if (!parsed) return failed_in(place, std::move(parsed).error());
    const partiql::Statement& statement = *(*parsed)->statement;
    member.kind = statement.kind;
    if (statement.from->kind == partiql::Node::Kind::Path)
      member.table_name = call.arena.copy(statement.from->steps.front().name);
    auto lowered = parse_statement(node, parameters, call);
    const auto refused = [&call](const char* text) {
      return stored(Error::validation(text), call.arena);
    };
    if (!lowered) {
      member.refusal = stored(lowered.error(), call.arena);
    } else if (lowered->lowered->refusal != nullptr) {
      member.refusal = lowered->lowered->refusal;
    } else if (lowered->lowered->returning) {
      member.refusal = refused("RETURNING clause is not supported in ExecuteTransaction.");
    } else if (lowered->lowered->index) {
      member.refusal = refused("Reads on indices are not supported within transactions.");
    } else {
      member.statement = *lowered;
    }
    return statement.kind;
  }

  // Reports rejected statements before missing tables, which cancel the transaction.
  static Result<std::vector<const Table*>> find_tables(const Request& request,
                                                       const Snapshot& snapshot, Call& call) {
    std::vector<const Table*> tables;
    CancellationReasons reasons(request.members.size(), call);
    for (std::size_t i = 0; i < request.members.size(); ++i) {
      const TransactStatement& member = request.members[i];
      auto table = snapshot.item_table(call, member.table_name);
      const bool is_refused = member.statement.lowered == nullptr;
      if (is_refused && (table || member.table_name.empty())) {
        return failed_in(i, error_of(*member.refusal));
      }
      tables.push_back(table ? *table : nullptr);
      if (table) {
        auto shape = check_shape(*member.statement.lowered, **table, call);
        if (!shape) return failed_in(i, std::move(shape).error());
        continue;
      }
      if (table.error().code() != ErrorCode::ResourceNotFound) return std::move(table).error();
      reasons.add(i, std::move(table).error());
    }
    if (reasons.any()) return std::move(reasons).to_error();
    return tables;
  }

  // Checks the shape of a statement that reads, which depends on its table's keys.
  static Result<void> check_shape(const partiql::Lowered& statement, const Table& table,
                                  Call& call) {
    if (statement.kind == Kind::Exists) {
      const StatementKey found = find_key(statement, table, /*takes_first=*/true, call.arena);
      if (found.flaw == StatementKey::KeyProblem::None && found.rest != nullptr) return {};
      return Error::validation(
          "EXISTS() must contain a single item read with additional condition");
    }
    if (!statement.is_read() || lookup_plan(statement, table, /*is_consistent=*/true, call.arena))
      return {};
    STATOR_CHECK(check_key_reads(statement, table, call.wording, call.arena));
    return Error::validation(
        "Select statements within ExecuteTransaction must specify the primary key in the where "
        "clause.");
  }

  template <class Plan>
  static void add_key(std::size_t place, const Table& table, const Plan& plan,
                      LocatedActions& located, CancellationReasons& reasons) {
    if (auto key = locate(table, plan)) {
      located.keys.push_back({&table, *key});
    } else {
      reasons.add(place, std::move(key).error());
    }
  }

  // Reports every key that does not fit; only then two statements on one item.
  static Result<void> check_keys(const LocatedActions& located, CancellationReasons reasons) {
    if (reasons.any()) return std::move(reasons).to_error();
    if (has_duplicates(std::span<const LocatedKey>(located.keys))) return multiple_operations();
    return {};
  }

  static Result<void> render(const Request& request, std::span<const ItemRead> items,
                             const TransactionCapacity& capacity, Call& call) {
    JsonWriter out(call.reply);
    out.begin_object();
    write_consumed_capacities(out, request.return_consumed_capacity, capacity.tables(),
                              UnitBreakdown::Reads);
    out.key("Responses");
    out.begin_array();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const partiql::Lowered& statement = *request.members[i].statement.lowered;
      out.begin_object();
      const StoredItem& stored = items[i].stored;
      if (stored.exists() && has_any_column(stored, statement, call.arena)) {
        STATOR_CHECK(call.work.go_on(stored.record().size()));
        out.key("Item");
        write_columns(out, stored.record(), statement.columns, call.arena);
        call.charge_response();
      }
      out.end_object();
    }
    out.end_array();
    out.end_object();
    return {};
  }
};

}  // namespace

Operation execute_transaction_row() { return define<ExecuteTransaction>(); }

}  // namespace stator

// TransactWriteItems: up to 100 puts, updates, deletes and condition checks of different items, all
// of them or none.
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/call/settings.h"
#include "engine/items/item_decision.h"
#include "engine/operations/define.h"
#include "engine/operations/items/collection_metrics.h"
#include "engine/operations/items/item_answers.h"
#include "engine/operations/items/item_requests.h"
#include "engine/operations/transactions/cancellation.h"
#include "engine/operations/transactions/client_tokens.h"
#include "engine/operations/transactions/transaction_requests.h"
#include "engine/operations/transactions/write_actions.h"
#include "engine/operations/transactions/write_transaction.h"
#include "protocol/errors/rule.h"
#include "protocol/expression/updates/update.h"
#include "protocol/model/shapes.h"
#include "protocol/service/common_errors.h"
#include "protocol/service/limits.h"
#include "protocol/text/utf8.h"

namespace stator {
namespace {

bool has_condition(const WritePlan& plan) {
  return std::visit([](const auto& one) { return one.condition != nullptr; }, plan);
}

Result<void> check_constraints_of(const JsonNode& body, Wording wording) {
  if (wording.profile != Profile::Next)
    return check_constraints(body, model::kTransactWriteItemsInput, wording);
  // Reported alone, whatever else is wrong (conformance/observed/transactions.md 7).
  const auto token = string_member(body, "ClientRequestToken");
  if (token && utf8_length(*token) > limits::kClientTokenCharactersMax) {
    return constraint_error("ClientRequestToken",
                            "Member must have length less than or equal to 36");
  }
  return check_constraints(body, model::kNextTransactWriteItemsInput, wording);
}

// A value that does not fit cancels the transaction. An update that makes its item too large is an
// error of the whole request in operations that have moved (conformance/observed/transactions.md
// 7).
bool is_of_the_request(const Error& misfit, const WritePlan& plan, Wording wording) {
  return wording.profile == Profile::Next && std::holds_alternative<UpdatePlan>(plan) &&
         misfit.broken_rule().rule == Rule::UpdatedItemSize;
}

struct TransactWriteItems {
  static constexpr std::string_view name = "TransactWriteItems";
  static constexpr Layer layer = Layer::Classic;

  using Request = WriteTransaction;

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_types(body, model::kTransactWriteItemsInput));
    STATOR_CHECK(check_constraints_of(body, call.wording));
    const auto nodes = list_member(body, "TransactItems");
    const auto actions = call.arena.allocate_array<WriteAction>(nodes.size());
    std::size_t payload_bytes = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      STATOR_TRY(actions[i], parse_write_action(nodes[i], call, payload_bytes));
    }
    if (payload_bytes > limits::kTransactionBytesMax) return payload_too_large(payload_bytes);
    call.table_name = actions.front().table_name;
    return call.arena.make<Request>(actions, parse_return_consumed_capacity(body),
                                    string_member(body, "ReturnItemCollectionMetrics") == "SIZE",
                                    parse_client_token(body, *body.find("TransactItems"), call),
                                    storage::TokenKind::TransactWriteItems);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    STATOR_TRY(LocatedActions located, locate_actions(request.actions, snapshot, call));
    return run(request, std::move(located), snapshot, mutation, call);
  }

  static Result<void> run(const Request& request, LocatedActions located, const Snapshot& snapshot,
                          Mutation& mutation, Call& call) {
    STATOR_TRY(const auto earlier, find_earlier(request.token, request.token_kind, snapshot, call));
    if (earlier) {
      render_repetition(
          request,
          capacity_of_repetition(*earlier, located.keys, request.actions, snapshot.now(), call),
          call);
      return {};
    }
    if (located.misfit) {
      return cancelled_for(located.misfit->first, std::move(located.misfit->second),
                           request.actions.size(), call);
    }
    if (auto conflicts = find_conflicts(located.keys, snapshot, call)) return std::move(*conflicts);
    STATOR_TRY(const std::vector<Decision> decisions,
               decide_all(request, located.keys, snapshot, mutation, call));
    if (auto throttled = find_throttled(decisions, snapshot.now(), call))
      return std::move(*throttled);
    for (const Decision& decision : decisions) enter(decision, mutation);
    store_token(request.token, request.token_kind, decisions, mutation, call);
    if (call.settings->transaction_time.count() > 0) mutation.hold(std::move(located.keys));
    render(request, decisions, call);
    return {};
  }

  // Most clients send a token. It is small beside the deleted items, and is erased after ten
  // minutes.
  static bool only_frees_space(const Request& request) {
    bool has_delete = false;
    for (const WriteAction& action : request.actions) {
      const bool is_delete = std::holds_alternative<DeletePlan>(action.plan);
      if (!is_delete && !std::holds_alternative<CheckPlan>(action.plan)) return false;
      has_delete = has_delete || is_delete;
    }
    return has_delete;
  }

  static void resources(const Request& request, Resources& touched) {
    for (const WriteAction& action : request.actions) {
      Resource& item = touched.emplace_back(touched_write(action.table_name, action.plan));
      item.enclosing_operation = name;
      // The only values that a transaction returns are those of failed conditions.
      item.return_values =
          to_text(action.returns_old_on_failure ? ReturnValues::AllOld : ReturnValues::None);
      item.return_consumed_capacity = to_text(request.return_consumed_capacity);
    }
  }

  // Decides every action, so that all failed conditions are reported. Values that do not fit are
  // reported alone.
  static Result<std::vector<Decision>> decide_all(const Request& request,
                                                  std::span<const LocatedKey> keys,
                                                  const Snapshot& snapshot, Mutation& mutation,
                                                  Call& call) {
    CancellationReasons reasons(keys.size(), call);
    DecidedCollections decided;
    WriteContext context = write_context(snapshot, mutation, call, &decided);
    context.is_transactional = true;
    std::vector<Decision> decisions;
    decisions.reserve(keys.size());
    std::vector<ChargedEvent> evaluated;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const WriteAction& action = request.actions[i];
      auto decision = decide(*keys[i].table, keys[i].key, action.plan, context);
      if (!decision) {
        const ErrorCode code = decision.error().code();
        if (code == ErrorCode::Validation &&
            !is_of_the_request(decision.error(), action.plan, call.wording))
          return cancelled_for(i, std::move(decision).error(), keys.size(), call);
        if (code != ErrorCode::ItemCollectionSizeLimitExceeded) return std::move(decision).error();
        reasons.add(i, std::move(decision).error());
        evaluated.push_back({*keys[i].table, {}});
        continue;
      }
      STATOR_CHECK(call.work.go_on(steps_of(action.plan, *decision)));
      const std::size_t paid = has_condition(action.plan) ? 1 : 0;
      evaluated.push_back({*keys[i].table, decision->asked, decision->asked.size() - paid});
      if (decision->condition_failed) {
        add_failed_condition(i, action, *decision, reasons, call);
      } else {
        decided.add(*decision);
        decisions.push_back(*decision);
      }
    }
    if (!reasons.any()) return decisions;
    // In a transaction cancelled for conditions, each evaluated action costs its table's units; the
    // service publishes nothing about this (conformance/observed/transactions.md). As for single
    // writes, throttling comes first.
    admit_actions(evaluated, capacity::Dimension::Write, snapshot.now(), call, reasons);
    return std::move(reasons).to_error();
  }

  static void add_failed_condition(std::size_t place, const WriteAction& action,
                                   const Decision& decision, CancellationReasons& reasons,
                                   Call& call) {
    if (action.is_insert) return reasons.add(place, duplicate_item());
    reasons.add(place, condition_failed(decision, /*shows_item=*/false, call.wording),
                action.returns_old_on_failure ? decision.before : StoredItem());
  }

  static std::optional<Error> find_throttled(std::span<const Decision> decisions, Timestamp now,
                                             Call& call) {
    std::vector<ChargedEvent> events;
    events.reserve(decisions.size());
    for (const Decision& decision : decisions) events.push_back(charged_event(decision));
    return cancelled_by_throttling(events, capacity::Dimension::Write, now, call);
  }

  static void render(const Request& request, std::span<const Decision> decisions, Call& call) {
    TransactionCapacity capacity;
    CollectionMetrics collections;
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      const WriteAction& action = request.actions[i];
      capacity.add(*decisions[i].table, action.table_name, decisions[i].charges);
      collections.add(action.table_name, decisions[i], key_attributes(action.plan));
    }
    record_units(call, capacity.tables());
    JsonWriter out(call.reply);
    out.begin_object();
    write_responses(request, out);
    write_consumed_capacities(out, request.return_consumed_capacity, capacity.tables(),
                              UnitBreakdown::Writes);
    if (request.wants_collection_metrics && !collections.empty()) {
      out.key("ItemCollectionMetrics");
      collections.write(out);
    }
    out.end_object();
  }

  static void write_responses(const Request& request, JsonWriter& out) {
    if (!request.has_responses) return;
    out.key("Responses");
    out.begin_array();
    out.end_array();
  }

  static void render_repetition(const Request& request, const TransactionCapacity& capacity,
                                Call& call) {
    record_units(call, capacity.tables());
    JsonWriter out(call.reply);
    out.begin_object();
    write_responses(request, out);
    write_consumed_capacities(out, request.return_consumed_capacity, capacity.tables(),
                              UnitBreakdown::Reads);
    out.end_object();
  }
};

}  // namespace

Result<void> run_write_transaction(const WriteTransaction& request, LocatedActions located,
                                   const Snapshot& snapshot, Mutation& mutation, Call& call) {
  return TransactWriteItems::run(request, std::move(located), snapshot, mutation, call);
}

Operation transact_write_items_row() { return define<TransactWriteItems>(); }

}  // namespace stator

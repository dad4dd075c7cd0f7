#include "engine/operations/partiql/select.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/capacity/throttling_error.h"
#include "engine/items/item_plan.h"
#include "engine/items/stored_item.h"
#include "engine/operations/answer_members.h"
#include "engine/operations/partiql/key_reads.h"
#include "engine/operations/partiql/next_token.h"
#include "engine/operations/partiql/statement_plans.h"
#include "engine/operations/reads/start_key.h"
#include "engine/pages/page.h"
#include "engine/pages/page_walk.h"
#include "engine/storage/records/encoded_source.h"
#include "engine/storage/records/item_codec.h"
#include "engine/storage/stores/stream_store.h"
#include "protocol/errors/rule.h"
#include "protocol/errors/stored_error.h"
#include "protocol/service/limits.h"

namespace stator {
namespace {

using Charges = std::vector<Charge>;

// The response of a full page is usually smaller.
constexpr std::size_t kWholePageBytes = 3 * limits::kPageBytesMax / 2;

Error has_many_keys() {
  return Error::validation(
      "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or "
      "multi-attribute RANGE keys.");
}

// The table or index that a SELECT reads, with the errors of statements.
Result<ReadTarget> find_target(const partiql::Lowered& statement, const Table& table,
                               bool is_consistent, Timestamp now) {
  auto target = find_read_target(table, statement.index, /*is_consistent=*/false, now);
  if (!target) {
    if (target.error().broken_rule().rule == Rule::IndexExists) return no_such_index({});
    return std::move(target).error();
  }
  if (target->has_many_keys()) return has_many_keys();
  if (is_consistent && target->global != nullptr) {
    return Error::validation(
               "Strongly consistent read is not supported on Global Secondary Indexes")
        .with_rule(Rule::EventualRead);
  }
  return target;
}

// Writes records into the member Items.
class ItemsWriter final : public RecordSink {
 public:
  ItemsWriter(std::span<const partiql::Column> columns, Call& call)
      : columns_(columns), call_(call), out_(call.reply) {}

  void begin() {
    out_.begin_object();
    out_.key("Items");
    out_.begin_array();
  }

  std::optional<std::size_t> take(std::string_view record, std::string_view sort_key,
                                  Arena& scratch) override {
    make_room_for_page(call_.reply, kWholePageBytes);
    std::optional<std::size_t> packed_bytes;
    if (columns_.empty()) {
      out_.before_value();
      packed_bytes = storage::EncodedItem(record).append_json_of_page(call_.reply, sort_key);
    } else {
      write_columns(out_, record, columns_, scratch);
    }
    call_.charge_response();
    return packed_bytes;
  }

  JsonWriter& out() { return out_; }

 private:
  std::span<const partiql::Column> columns_;
  Call& call_;
  JsonWriter out_;
};

class SelectPage {
 public:
  SelectPage(const StatementRequest& request, const SelectOptions& options, const Table& table,
             const Snapshot& snapshot, Call& call)
      : request_(request),
        statement_(*request.lowered),
        options_(options),
        table_(table),
        snapshot_(snapshot),
        call_(call) {}

  Result<void> run() {
    STATOR_TRY(target_, find_target(statement_, table_, options_.is_consistent, snapshot_.now()));
    STATOR_TRY(const KeyReads reads,
               find_key_reads(statement_, target_, call_.wording, call_.arena));
    ReadPosition position;
    if (options_.next_token) {
      STATOR_TRY(const std::string_view secret, find_secret());
      STATOR_TRY(position, read_next_token(*options_.next_token, owner(), secret, call_.arena));
    }
    ItemsWriter items(statement_.columns, call_);
    items.begin();
    STATOR_CHECK(reads.is_scan ? scan(position, items) : query(reads, position, items));
    return finish(items.out());
  }

 private:
  ReadPlan read_plan(const expr::Condition* filter, const ReadPosition& position) const {
    ReadPlan plan;
    plan.index_name = statement_.index;
    plan.select = statement_.projection != nullptr ? Select::Specific : Select::AllProjected;
    plan.limit = options_.limit;
    plan.is_consistent = options_.is_consistent;
    plan.start_key = position.key;
    plan.filter = filter;
    plan.filter_paths = paths_of(filter, call_.arena);
    plan.projection = statement_.projection;
    return plan;
  }

  Result<void> scan(const ReadPosition& position, ItemsWriter& items) {
    const ScanPlan plan{read_plan(statement_.where, position), Segment{}};
    STATOR_TRY(const Page page, scan_page(table_, plan, snapshot_, call_, items));
    charges_ = page.charges;
    last_ = page.last;
    is_more_ = !last_.empty();
    return {};
  }

  // Runs one read after the other until the page is full.
  Result<void> query(const KeyReads& reads, const ReadPosition& position, ItemsWriter& items) {
    QueryPlan plan;
    plan.read = read_plan(reads.filter, position);
    plan.direction = reads.direction;
    plan.may_filter_keys = true;
    plan.needed_paths = reads.not_carried;
    for (next_.read = position.read; next_.read < reads.reads.size(); ++next_.read) {
      // A page with items ends where the next read would begin.
      if (plan.read.limit == 0) return end_before_next(ReadStats::End::Limit);
      if (next_.read > position.read && items_left(call_) == 0)
        return end_before_next(ReadStats::End::Fault);
      if (call_.reply.size() >= limits::kPageBytesMax)
        return end_before_next(ReadStats::End::Bytes);
      plan.conditions = reads.reads[next_.read];
      auto page = query_page(table_, plan, snapshot_, call_, items);
      // Earlier reads may be returned; the throttled read is left for the next page.
      if (!page && next_.read > position.read && capacity::is_throttled(page.error()))
        return end_before_next(ReadStats::End::Throttling);
      if (!page) return std::move(page).error();
      charges_.insert(charges_.end(), page->charges.begin(), page->charges.end());
      last_ = page->last;
      is_more_ = !last_.empty();
      if (is_more_) return {};
      plan.read.start_key.reset();
      plan.read.limit -= static_cast<std::size_t>(page->scanned_count);
    }
    return {};
  }

  Result<void> end_before_next(ReadStats::End end) {
    is_more_ = true;
    call_.walked.end = end;
    return {};
  }

  Result<void> finish(JsonWriter& out) {
    out.end_array();
    if (is_more_) {
      if (!last_.empty()) next_.key = key_of(last_);
      STATOR_TRY(const std::string_view secret, find_secret());
      out.member("NextToken", std::string_view(write_next_token(owner(), next_, secret)));
      if (!last_.empty()) write_last_evaluated_key(out, target_, last_, call_.arena);
    }
    record_units(call_, statement_.table, charges_);
    write_consumed_capacity(out, options_.return_consumed_capacity, statement_.table, charges_);
    out.end_object();
    return {};
  }

  Item key_of(std::string_view record) const {
    const storage::EncodedItem item(record);
    std::vector<Member> members;
    target_.for_each_key([&](const KeyAttribute& key) {
      if (const auto value = item.find(key.name, call_.arena))
        members.push_back({key.name, *value});
    });
    std::sort(members.begin(), members.end(),
              [](const Member& a, const Member& b) { return a.name < b.name; });
    return call_.arena.copy(std::span<const Member>(members));
  }

  TokenOwner owner() const { return {fingerprint_of(request_, call_.arena), target_.space()}; }

  Result<std::string_view> find_secret() const {
    STATOR_TRY(const auto secret, storage::stream_secret(snapshot_.transaction()));
    if (!secret) return Error(ErrorCode::InternalServerError, "the store has no secret for tokens");
    return *secret;
  }

  const StatementRequest& request_;
  const partiql::Lowered& statement_;
  const SelectOptions& options_;
  const Table& table_;
  const Snapshot& snapshot_;
  Call& call_;
  ReadTarget target_;
  Charges charges_;
  std::string_view last_;  // of the last read
  ReadPosition next_;
  bool is_more_ = false;
};

bool has_key_types(const Table& table, Item key) {
  const auto has_type = [&](const KeyAttribute& attribute) {
    return find_attribute(key, attribute.name)->type() == attribute.type;
  };
  return has_type(table.partition_key) && (!table.sort_key || has_type(*table.sort_key));
}

// A SELECT by a whole key is a lookup: the same response, in one step.
Result<void> answer_lookup(const StatementRequest& request, const GetPlan& plan,
                           const SelectOptions& options, const Table& table,
                           const Snapshot& snapshot, Call& call) {
  STATOR_TRY(const PrimaryKey key, locate(table, plan));
  STATOR_TRY(const ItemRead read, read_item(table, key, plan.is_consistent, snapshot));
  if (auto throttled = call.charging.admit({table, {&read.charge, 1}}, capacity::Dimension::Read,
                                           snapshot.now()))
    return std::move(*throttled);
  record_units(call, request.lowered->table, {&read.charge, 1});
  JsonWriter out(call.reply);
  out.begin_object();
  out.key("Items");
  out.begin_array();
  if (read.stored.exists())
    write_columns(out, read.stored.record(), request.lowered->columns, call.arena);
  out.end_array();
  write_consumed_capacity(out, options.return_consumed_capacity, request.lowered->table,
                          {&read.charge, 1});
  out.end_object();
  return {};
}

}  // namespace

Error refusal(const partiql::Lowered& statement, const Snapshot& snapshot, Call& call) {
  if (const auto table = snapshot.item_table(call, statement.table)) {
    if (auto single = check_single_keys(statement, **table, snapshot.now()); !single)
      return std::move(single).error();
  }
  return error_of(*statement.refusal);
}

Result<void> select_page(const StatementRequest& request, const SelectOptions& options,
                         const Snapshot& snapshot, Call& call) {
  if (request.lowered->refusal != nullptr) return refusal(*request.lowered, snapshot, call);
  STATOR_TRY(const Table* table, snapshot.item_table(call, request.lowered->table));
  if (!options.next_token) {
    const auto plan = lookup_plan(*request.lowered, *table, options.is_consistent, call.arena);
    if (plan && has_key_types(*table, plan->key))
      return answer_lookup(request, *plan, options, *table, snapshot, call);
  }
  return SelectPage(request, options, *table, snapshot, call).run();
}

Result<void> check_single_keys(const partiql::Lowered& statement, const Table& table,
                               Timestamp now) {
  const auto target = find_read_target(table, statement.index, /*is_consistent=*/false, now);
  if (target && target->has_many_keys()) return has_many_keys();
  return {};
}

bool has_any_column(const StoredItem& stored, const partiql::Lowered& statement, Arena& scratch) {
  if (statement.columns.empty()) return true;
  const storage::EncodedSource source(stored.record(), scratch);
  return std::any_of(
      statement.columns.begin(), statement.columns.end(),
      [&](const partiql::Column& column) { return source.find(column.path).has_value(); });
}

void write_columns(JsonWriter& out, std::string_view record,
                   std::span<const partiql::Column> columns, Arena& scratch) {
  if (columns.empty()) {
    out.before_value();
    storage::EncodedItem(record).append_json(out.out());
    return;
  }
  const storage::EncodedSource source(record, scratch);
  out.begin_object();
  for (const partiql::Column& column : columns) {
    const auto value = source.find(column.path);
    if (!value) continue;
    out.key(column.name);
    out.before_value();
    append_value_json(out.out(), *value);
  }
  out.end_object();
}

}  // namespace stator

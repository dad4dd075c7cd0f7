// UpdateTable: settings of a table and of its global indexes, adding and removing indexes, enabling
// and disabling its stream.
#include <algorithm>

#include "engine/call/settings.h"
#include "engine/capacity/change_quotas.h"
#include "engine/operations/define.h"
#include "engine/operations/tables/account_quotas.h"
#include "engine/operations/tables/change_limits.h"
#include "engine/operations/tables/table_definition.h"
#include "engine/operations/tables/table_description.h"
#include "engine/operations/tables/table_state.h"
#include "engine/operations/tables/table_stream.h"
#include "engine/operations/tables/update_table_checks.h"
#include "engine/operations/tables/update_table_indexes.h"
#include "engine/operations/tables/warm_throughput.h"
#include "protocol/json_writer.h"
#include "protocol/limits.h"
#include "protocol/shape.h"

namespace stator {
namespace {

// Dates and counters of a change of provisioned units, and whether it is an increase; a mixed
// change counts as both (conformance/observed/capacity.md 5.2, 5.3). A decrease that the cloud
// would have refused is made where nothing is enforced, and does not count: what comes behind it is
// allowed when the cloud would allow it.
bool note_change(ThroughputHistory& history, const Throughput& before, const Throughput& after,
                 Timestamp now) {
  const bool is_increase =
      after.read_units > before.read_units || after.write_units > before.write_units;
  if (is_increase) history.last_increase = now;
  const bool is_decrease =
      after.read_units < before.read_units || after.write_units < before.write_units;
  if (is_decrease && capacity::next_decrease(history, now) <= now) {
    history.decreases_today = history.decreases_on(now) + 1;
    history.last_decrease = now;
  }
  return is_increase;
}

// An absent member leaves its ceiling. -1 removes it, and is echoed in the answer: so it stays
// until forget_removed().
void change_on_demand(OnDemandThroughput& on_demand, const JsonNode* change) {
  if (change == nullptr) return;
  const OnDemandThroughput wanted = build_on_demand(change);
  if (wanted.max_read_units) on_demand.max_read_units = wanted.max_read_units;
  if (wanted.max_write_units) on_demand.max_write_units = wanted.max_write_units;
}

void forget_removed(OnDemandThroughput& on_demand) {
  if (on_demand.max_read_units == -1) on_demand.max_read_units.reset();
  if (on_demand.max_write_units == -1) on_demand.max_write_units.reset();
}

// Carries one update; what it leaves is the table as it will be.
class Update {
 public:
  Update(Table table, const JsonNode& body, const Call& call, Timestamp now)
      : table_(std::move(table)),
        body_(body),
        call_(call),
        now_(now),
        done_at_(now.settled_after(call.settings->control_plane_delay)),
        index_done_at_(now.settled_after(
            std::max(call.settings->control_plane_delay, call.settings->index_delay))) {
    settle_warm(table_, nullptr);
    for (GlobalIndex& index : table_.global_indexes) settle_warm(index, &index);
    // What an earlier change has not shown yet is over or the request was refused.
    if (now >= table_.updating_until) table_.settings_before.reset();
    for (GlobalIndex& index : table_.global_indexes) {
      if (now < index.updating_until) continue;
      index.history = index.shown_history(now);
      index.throughput_before.reset();
    }
    if (table_.encryption && table_.encryption->is_gone(now)) table_.encryption.reset();
  }

  Result<void> run(Random& random, const Snapshot& snapshot) {
    STATOR_CHECK(change_stream(snapshot));
    change_billing();
    change_throughput();
    change_class();
    change_indexes();
    change_encryption(random);
    change_on_demand(table_.on_demand, body_.find("OnDemandThroughput"));
    if (const JsonNode* warm = body_.find("WarmThroughput")) raise_warm(table_, *warm);
    if (const auto protection = boolean_member(body_, "DeletionProtectionEnabled")) {
      table_.deletion_protection = *protection;
    }
    return {};
  }

  // What the answer shows: UPDATING for asynchronous changes.
  TableStatus answered_status() const {
    return is_updating_ ? TableStatus::Updating : table_.status(now_);
  }
  const Table& answered_table() const { return table_; }
  // The index created or deleted, if any.
  std::string_view answered_index() const { return changed_index_; }
  Table take_table() {
    if (table_.has_gone_indexes(now_)) table_.remove_gone_indexes(now_);
    forget_removed(table_.on_demand);
    for (GlobalIndex& index : table_.global_indexes) forget_removed(index.on_demand);
    return std::move(table_);
  }

 private:
  // The settings change when the time is over; until then the old ones are shown.
  ThroughputSettings& begin_update() {
    if (!table_.settings_before) table_.settings_before = table_.settings;
    table_.updating_until = done_at_;
    is_updating_ = true;
    return table_.settings;
  }

  void change_billing() {
    const auto mode = string_member(body_, "BillingMode");
    if (!mode) return;
    const BillingMode wanted =
        *mode == "PAY_PER_REQUEST" ? BillingMode::PayPerRequest : BillingMode::Provisioned;
    if (wanted == table_.settings.billing_mode || leaves_on_demand(table_, now_)) {
      // Sent again, or too late: the answer says UPDATING, nothing happens.
      is_updating_ = is_updating_ || wanted == BillingMode::PayPerRequest;
      return;
    }
    ThroughputSettings& settings = begin_update();
    settings.billing_mode = wanted;
    settings.shows_billing_mode = true;
    // Ceilings of on-demand mode are not there again when it comes back.
    table_.on_demand = {};
    for (GlobalIndex& index : table_.global_indexes) index.on_demand = {};
    if (wanted == BillingMode::Provisioned) return;
    settings.last_on_demand = now_;
  }

  void change_throughput() {
    const JsonNode* throughput = body_.find("ProvisionedThroughput");
    if (throughput == nullptr) return;
    const bool was_provisioned =
        table_.settings_before ? table_.settings_before->billing_mode == BillingMode::Provisioned
                               : table_.settings.billing_mode == BillingMode::Provisioned;
    ThroughputSettings& settings = begin_update();
    const Throughput wanted = build_throughput(throughput);
    if (was_provisioned) {
      const bool is_increase = note_change(settings.history, settings.throughput, wanted, now_);
      // The answer has the new dates with the old units and counter.
      table_.settings_before->history.last_increase = settings.history.last_increase;
      table_.settings_before->history.last_decrease = settings.history.last_decrease;
      if (is_increase) settings.history.last_increase = std::max(now_, done_at_);
    }
    settings.throughput = wanted;
  }

  void change_class() {
    const auto text = string_member(body_, "TableClass");
    if (!text) return;
    const TableClass wanted = build_table_class(*text);
    if (wanted == table_.settings.table_class) return;
    ThroughputSettings& settings = begin_update();
    settings.table_class = wanted;
    settings.shows_table_class = true;
    settings.last_table_class = now_;
  }

  void change_indexes() {
    for (const JsonNode& update : list_member(body_, "GlobalSecondaryIndexUpdates")) {
      if (const JsonNode* create = update.find("Create")) {
        add_index(*create, body_, index_done_at_, table_);
        note_changed(*create);
      }
      if (const JsonNode* gone = update.find("Delete")) {
        GlobalIndex& index = index_of(*gone);
        index.build.reset();
        index.deleting_until = index_done_at_;
        note_changed(*gone);
      }
      const JsonNode* change = update.find("Update");
      if (change == nullptr) continue;
      GlobalIndex& index = index_of(*change);
      change_on_demand(index.on_demand, change->find("OnDemandThroughput"));
      if (const JsonNode* warm = change->find("WarmThroughput")) raise_warm(index, *warm);
      if (const JsonNode* throughput = change->find("ProvisionedThroughput")) {
        index.throughput_before = index.throughput;
        const Throughput wanted = build_throughput(throughput);
        note_change(index.history, index.throughput, wanted, now_);
        index.throughput = wanted;
        index.updating_until = done_at_;
      }
    }
  }

  // REQUIRES: there is such an index.
  GlobalIndex& index_of(const JsonNode& change) {
    const std::string_view name = *string_member(change, "IndexName");
    return *std::find_if(table_.global_indexes.begin(), table_.global_indexes.end(),
                         [&](const GlobalIndex& index) { return index.name == name; });
  }

  void note_changed(const JsonNode& change) {
    changed_index_ = *string_member(change, "IndexName");
    is_updating_ = true;
  }

  Result<void> change_stream(const Snapshot& snapshot) {
    const JsonNode* stream = body_.find("StreamSpecification");
    if (stream == nullptr) return {};
    is_updating_ = true;
    if (*boolean_member(*stream, "StreamEnabled")) {
      STATOR_TRY(table_.stream, build_stream(*stream, table_, snapshot));
    } else {
      table_.stream->is_enabled = false;
    }
    table_.stream->changing_until = done_at_;
    return {};
  }

  void change_encryption(Random& random) {
    const JsonNode* sse = body_.find("SSESpecification");
    if (sse == nullptr) return;
    auto wanted = build_encryption(body_, call_, random);
    if (wanted) {
      table_.encryption = std::move(*wanted);
    } else {
      table_.encryption->is_ending = true;
    }
    table_.encryption->updating_until = done_at_;
  }

  // Below, `Warmed` is the table or one of its indexes.

  // What is told by now is there for good, whatever the settings will be. `index`: nullptr is the
  // table.
  template <class Warmed>
  void settle_warm(Warmed& warmed, const GlobalIndex* index) {
    const WarmThroughput told = warm_throughput(table_, index, now_);
    warmed.warm = told.units;
    if (!told.is_updating) warmed.warm_to.reset();
  }

  // Instead of what an earlier request asked for and is not there.
  template <class Warmed>
  void raise_warm(Warmed& warmed, const JsonNode& wanted) {
    warmed.warm_to = {
        integer_member(wanted, "ReadUnitsPerSecond").value_or(warmed.warm.read_units),
        integer_member(wanted, "WriteUnitsPerSecond").value_or(warmed.warm.write_units)};
    warmed.warm_updating_until = done_at_;
  }

  Table table_;
  const JsonNode& body_;
  const Call& call_;
  Timestamp now_;
  Timestamp done_at_;
  Timestamp index_done_at_;  // of indexes added or removed
  bool is_updating_ = false;
  std::string_view changed_index_;
};

struct UpdateTable {
  static constexpr std::string_view name = "UpdateTable";
  static constexpr Layer layer = Layer::Classic;
  struct Request {
    const JsonNode* body;
  };

  static Result<const Request*> parse(const JsonNode& body, Call& call) {
    STATOR_CHECK(check_update_request(body, call));
    call.table_name = *string_member(body, "TableName");
    return call.arena.make<Request>(&body);
  }

  static Result<void> execute(const Request& request, const Snapshot& snapshot, Mutation& mutation,
                              Call& call) {
    const Timestamp now = snapshot.now();
    STATOR_TRY(const Table* recorded, snapshot.control_table(call, call.table_name));
    Table table = *recorded;
    if (table.has_gone_indexes(now)) table.remove_gone_indexes(now);
    STATOR_CHECK(check_changeable(table, now));
    STATOR_CHECK(check_update_against(*request.body, table, now));
    if (table.runtime->throttling.load() == Throttling::Enforce)
      STATOR_CHECK(check_account_quotas(*request.body, table, snapshot));
    STATOR_CHECK(check_change_limits(*request.body, table, call.charging, now));
    if (needs_unbuilt(*request.body)) return Error::unknown_operation();
    Update update(std::move(table), *request.body, call, now);
    STATOR_CHECK(update.run(mutation.random(), snapshot));
    JsonWriter out(call.reply);
    out.begin_object();
    out.key("TableDescription");
    const DescriptionView view{
        .status = update.answered_status(),
        .shows_settings_before = true,
        .changes_encryption = request.body->find("SSESpecification") != nullptr,
        .changed_index = update.answered_index()};
    STATOR_CHECK(write_table_description(out, update.answered_table(), snapshot, view));
    out.end_object();
    mutation.put_table(update.take_table());
    return {};
  }

  // Its indexes are parts of the table's definition, which is all that changes.
  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = *string_member(*request.body, "TableName")});
  }
};

}  // namespace

Operation update_table_row() { return define<UpdateTable>(); }

}  // namespace stator

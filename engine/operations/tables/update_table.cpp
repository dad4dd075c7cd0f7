// UpdateTable: settings of a table and of its global indexes, adding and removing indexes, enabling
// and disabling its stream.
#include <algorithm>

#include "engine/call/settings.h"
#include "engine/operations/define.h"
#include "engine/operations/tables/update_table_checks.h"
#include "engine/operations/tables/update_table_indexes.h"
#include "engine/state/mutation.h"
#include "engine/tables/account_quotas.h"
#include "engine/tables/change_limits.h"
#include "engine/tables/table_definition.h"
#include "engine/tables/table_description.h"
#include "engine/tables/table_state.h"
#include "engine/tables/table_stream.h"
#include "engine/tables/warm_throughput.h"
#include "engine/throughput/change_quotas.h"
#include "protocol/json/json_writer.h"
#include "protocol/service/limits.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

// What a change of provisioned units counts as; a mixed one as both.
struct NotedChange {
  bool is_increase = false;
  bool is_decrease = false;
};

// Dates and counters of a change of provisioned units (conformance/observed/capacity.md 5.2, 5.3).
// A decrease that the cloud would have refused is made where nothing is enforced, and does not
// count: what comes after it is allowed when the cloud would allow it.
NotedChange note_change(ThroughputHistory& history, const Throughput& before,
                        const Throughput& after, Timestamp now) {
  NotedChange noted;
  noted.is_increase =
      after.read_units > before.read_units || after.write_units > before.write_units;
  if (noted.is_increase) history.last_increase = now;
  const bool is_decrease =
      after.read_units < before.read_units || after.write_units < before.write_units;
  if (is_decrease && capacity::next_decrease(history, now) <= now) {
    noted.is_decrease = true;
    history.decreases_today = history.decreases_on(now) + 1;
    history.last_decrease = now;
  }
  return noted;
}

// The counter is that of the date's day.
void move_last_decrease(ThroughputHistory& history, Timestamp to) {
  history.decreases_today = history.decreases_on(to);
  history.last_decrease = to;
}

// An absent member leaves its maximum unchanged. -1 removes it but is echoed in the response, so it
// stays until forget_removed().
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

// Applies one update and holds the resulting table.
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
    // An earlier change that is not shown yet is complete, or the request would have been rejected.
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

  // The status in the response: UPDATING for asynchronous changes.
  TableStatus answered_status() const {
    return is_updating_ ? TableStatus::Updating : table_.status(now_);
  }
  const Table& answered_table() const { return table_; }
  // The name of the index created or deleted, if any.
  std::string_view answered_index() const { return changed_index_; }
  Table take_table() {
    if (table_.has_gone_indexes(now_)) table_.remove_gone_indexes(now_);
    forget_removed(table_.on_demand);
    for (GlobalIndex& index : table_.global_indexes) forget_removed(index.on_demand);
    return std::move(table_);
  }

 private:
  // The new settings take effect after the delay; until then the old ones are shown.
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
      // Repeated, or too late: the response shows UPDATING and nothing changes.
      is_updating_ = is_updating_ || wanted == BillingMode::PayPerRequest;
      return;
    }
    ThroughputSettings& settings = begin_update();
    settings.billing_mode = wanted;
    settings.shows_billing_mode = true;
    // Maximums of on-demand mode do not return with the mode.
    table_.on_demand = {};
    for (GlobalIndex& index : table_.global_indexes) index.on_demand = {};
    if (wanted == BillingMode::Provisioned) return;
    settings.last_on_demand = now_;
    // Shows as a decrease until it is done, and counts as none.
    move_last_decrease(table_.settings_before->history, now_);
  }

  void change_throughput() {
    const JsonNode* throughput = body_.find("ProvisionedThroughput");
    if (throughput == nullptr) return;
    ThroughputSettings& settings = begin_update();
    const Throughput wanted = build_throughput(throughput);
    const NotedChange noted =
        note_change(settings.history, units_before(settings.throughput), wanted, now_);
    // Both the start and the end of a change set the dates.
    ThroughputHistory& shown = table_.settings_before->history;
    const Timestamp finished = std::max(now_, done_at_);
    if (noted.is_increase) {
      shown.last_increase = now_;
      settings.history.last_increase = finished;
    }
    if (noted.is_decrease) {
      move_last_decrease(shown, now_);
      move_last_decrease(settings.history, finished);
    }
    settings.throughput = wanted;
  }

  // The units of the table or an index before the change; none in on-demand mode, so that leaving
  // it is no decrease. REQUIRES: the billing mode is changed already.
  Throughput units_before(const Throughput& units) const {
    const ThroughputSettings& before =
        table_.settings_before ? *table_.settings_before : table_.settings;
    return before.billing_mode == BillingMode::Provisioned ? units : Throughput{};
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
        // Never the epoch: the list of tables shows since when it is filled.
        add_index(*create, body_, std::max(index_done_at_, now_), table_);
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
        const Throughput before = units_before(index.throughput);
        index.throughput_before = before;
        index.throughput = build_throughput(throughput);
        note_change(index.history, before, index.throughput, now_);
        index.updating_until = done_at_;
      }
    }
  }

  // REQUIRES: the index exists.
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
    auto wanted = build_encryption(body_.find("SSESpecification"), call_, random);
    if (wanted) {
      table_.encryption = std::move(*wanted);
    } else {
      table_.encryption->is_ending = true;
    }
    table_.encryption->updating_until = done_at_;
  }

  // In the functions below, `Warmed` is the table or one of its indexes.

  // The warm throughput shown now becomes permanent, whatever the settings become. A null `index`
  // means the table.
  template <class Warmed>
  void settle_warm(Warmed& warmed, const GlobalIndex* index) {
    const WarmThroughput told = warm_throughput(table_, index, now_);
    warmed.warm = told.units;
    if (!told.is_updating) warmed.warm_to.reset();
  }

  // Replaces an earlier, unfinished raise.
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
  Timestamp index_done_at_;  // for indexes added or removed
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
    if (recorded->restore) return table_not_found(recorded->name);
    Table table = *recorded;
    if (table.has_gone_indexes(now)) table.remove_gone_indexes(now);
    STATOR_CHECK(check_changeable(table, now));
    STATOR_CHECK(check_update_against(*request.body, table, now));
    if (table.runtime->throttling.load() == Throttling::Enforce)
      STATOR_CHECK(check_account_quotas(*request.body, table, snapshot));
    STATOR_CHECK(check_change_limits(*request.body, table, call.charging, now));
    const std::string_view unbuilt = unbuilt_member(*request.body);
    if (!unbuilt.empty()) return Error::unknown_operation().with_place(unbuilt);
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

  static bool only_frees_space(const Request& request) {
    return stator::only_frees_space(*request.body);
  }

  // Its indexes are parts of the table's definition, which is all that changes.
  static void resources(const Request& request, Resources& touched) {
    touched.push_back({.table = *string_member(*request.body, "TableName")});
  }
};

}  // namespace

Operation update_table_row() { return define<UpdateTable>(); }

}  // namespace stator

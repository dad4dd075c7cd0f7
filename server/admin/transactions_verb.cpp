// /_stator/transactions: transactions in flight, and the recorded requests that met one.
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/engine.h"
#include "engine/api/table_view.h"
#include "engine/reports/views/transaction_figures.h"
#include "engine/seams/iso_time.h"
#include "protocol/errors/error.h"
#include "server/admin/named_table.h"
#include "server/admin/verbs.h"
#include "server/explain/requests/recent_requests.h"
#include "server/explain/requests/touched_items.h"
#include "server/http/query_text.h"

namespace stator {

namespace {

constexpr std::string_view kConflictReason = "TransactionConflict";

// A transaction has up to 100 items.
constexpr std::size_t kFlightsMax = 100;

void write_flight(JsonWriter& json, const TransactionFigures::Flight& flight) {
  json.begin_object();
  json.member("id", static_cast<std::int64_t>(flight.number));
  json.member("since", iso_extended(flight.since));
  json.member("lands", iso_extended(flight.due));
  json.key("items");
  json.begin_array();
  for (const TransactionFigures::Item& item : flight.items) {
    json.begin_object();
    write_label(json, item.label);
    json.key("key");
    json.raw(item.key_json);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

// Whether a transaction in flight made the request fail, alone or as a reason of a cancellation.
bool is_conflict(const RecentRequest& request) {
  using Part = RecentRequest::Part;
  const std::string_view error = request.text(Part::Error);
  if (error == error_info(ErrorCode::TransactionConflict).name) return true;
  return error == error_info(ErrorCode::TransactionCanceled).name &&
         request.text(Part::Message).find(kConflictReason) != std::string_view::npos;
}

// What the request was: a transaction, one that reads, or a write outside transactions. Reads
// outside transactions meet none.
std::string_view conflict_kind(std::string_view operation) {
  if (operation == "TransactGetItems") return "read";
  return operation == "TransactWriteItems" || operation == "ExecuteTransaction" ? "transaction"
                                                                                : "write";
}

// The places of the actions that met a transaction in flight; of a request to one item the first.
std::vector<std::size_t> conflicting_actions(const RecentRequest& request) {
  constexpr std::string_view kBefore = "specific reasons [";
  constexpr std::string_view kBetween = ", ";
  std::string_view reasons = request.text(RecentRequest::Part::Message);
  const std::size_t begin = reasons.find(kBefore);
  if (begin == std::string_view::npos) return {0};
  reasons = reasons.substr(begin + kBefore.size());
  reasons = reasons.substr(0, reasons.find(']'));
  std::vector<std::size_t> places;
  for (std::size_t place = 0; !reasons.empty(); ++place) {
    const std::size_t end = std::min(reasons.find(kBetween), reasons.size());
    if (reasons.substr(0, end) == kConflictReason) places.push_back(place);
    reasons.remove_prefix(std::min(end + kBetween.size(), reasons.size()));
  }
  return places;
}

// Writes the requests that met a transaction in flight, newest first.
class ConflictList {
 public:
  ConflictList(JsonWriter& json, const AdminRequest& request, const TableView& tables,
               std::size_t limit)
      : json_(json), request_(request), tables_(tables), left_(limit) {}

  // REQUIRES: called for all requests, newest first. Returns false once the list is long enough.
  bool add(const RecentRequest& recent) {
    if (left_ == 0 || request_.stop_condition.should_stop()) return false;
    if (is_conflict(recent) && !recent.is_of_console) write(recent);
    if (recent.status == 200 &&
        recent.text(RecentRequest::Part::Operation) == "TransactWriteItems") {
      for (const TouchedItem& item : items_of(recent))
        later_[place_of(recent, item)] = recent.text(RecentRequest::Part::Id);
    }
    return true;
  }

 private:
  std::vector<TouchedItem> items_of(const RecentRequest& recent) const {
    // The error of a batch names no place.
    if (recent.text(RecentRequest::Part::Operation).starts_with("Batch")) return {};
    const TableChoice choice{std::string(recent.text(RecentRequest::Part::Region)),
                             std::string(recent.text(RecentRequest::Part::AccessKey))};
    return touched_items(recent, [&](std::string_view name) {
      return find_named_table(tables_, name, choice, request_.parts.settings.isolation).table;
    });
  }

  // Equal for requests that mean the same item.
  static std::string place_of(const RecentRequest& recent, const TouchedItem& item) {
    return std::string(recent.text(RecentRequest::Part::Region)) + '/' +
           std::string(recent.text(RecentRequest::Part::AccessKey)) + '/' + item.table + '/' +
           item.key_json;
  }

  void write(const RecentRequest& recent) {
    using Part = RecentRequest::Part;
    const auto add = [&](std::string_view name, Part part) {
      if (!recent.text(part).empty()) json_.member(name, recent.text(part));
    };
    --left_;
    json_.begin_object();
    json_.member("time", iso_extended(recent.time));
    json_.member("kind", conflict_kind(recent.text(Part::Operation)));
    add("operation", Part::Operation);
    add("table", Part::Table);
    add("region", Part::Region);
    add("error", Part::Error);
    json_.member("request_id", recent.text(Part::Id));
    write_items(recent);
    json_.end_object();
  }

  // The item was held until the transaction ended. So the next transaction with this item that
  // succeeded is the one that held it.
  void write_items(const RecentRequest& recent) {
    const std::vector<TouchedItem> items = items_of(recent);
    json_.key("items");
    json_.begin_array();
    for (const std::size_t place : conflicting_actions(recent)) {
      if (place >= items.size() || items[place].key_json.empty()) continue;
      json_.begin_object();
      json_.member("table", items[place].table);
      json_.key("key");
      json_.raw(items[place].key_json);
      const auto other = later_.find(place_of(recent, items[place]));
      if (other != later_.end()) json_.member("with_request_id", other->second);
      json_.end_object();
    }
    json_.end_array();
  }

  JsonWriter& json_;
  const AdminRequest& request_;
  const TableView& tables_;
  std::size_t left_;
  std::map<std::string, std::string> later_;  // ids of transactions, by their items
};

void write_conflicts(JsonWriter& json, const AdminRequest& request, const TableView& tables,
                     std::size_t limit) {
  json.key("conflicts");
  json.begin_array();
  ConflictList list(json, request, tables, limit);
  if (request.parts.recent != nullptr)
    request.parts.recent->look([&list](const RecentRequest& recent) { return list.add(recent); });
  json.end_array();
}

}  // namespace

AdminResponse show_transactions(AdminRequest& request) {
  std::size_t limit = kListLimitMax;
  bool is_valid = true;
  for_each_parameter(request.query, [&](std::string_view name, std::string_view value) {
    is_valid = name != "limit" || read_list_limit(value, limit);
    return is_valid;
  });
  if (!is_valid) return admin_error(400, kListLimitText);
  AdminResponse answer;
  JsonWriter json(answer.body);
  Engine::Reader reader(request.parts.engine);
  const auto shown =
      request.parts.engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
        const TransactionFigures figures =
            transaction_figures(snapshot, request.parts.settings.isolation, kFlightsMax);
        json.begin_object();
        json.key("in_flight");
        json.begin_array();
        for (const TransactionFigures::Flight& flight : figures.flights) write_flight(json, flight);
        json.end_array();
        json.member("more", figures.has_more);
        write_conflicts(json, request, TableView(snapshot), limit);
        json.member("tokens", static_cast<std::int64_t>(figures.tokens));
        json.end_object();
        return {};
      });
  if (!shown) return admin_error(500, shown.error().message());
  return answer;
}

}  // namespace stator

// /_stator/transactions: transactions in flight, and the recorded requests that met one.
#include <string>
#include <string_view>

#include "engine/api/engine.h"
#include "engine/reports/views/transaction_figures.h"
#include "engine/seams/iso_time.h"
#include "protocol/errors/error.h"
#include "server/admin/named_table.h"
#include "server/admin/verbs.h"
#include "server/explain/requests/recent_requests.h"
#include "server/http/query_text.h"

namespace stator {

namespace {

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
  constexpr std::string_view kReason = "TransactionConflict";
  const std::string_view error = request.text(Part::Error);
  if (error == error_info(ErrorCode::TransactionConflict).name) return true;
  return error == error_info(ErrorCode::TransactionCanceled).name &&
         request.text(Part::Message).find(kReason) != std::string_view::npos;
}

void write_conflict(JsonWriter& json, const RecentRequest& request) {
  using Part = RecentRequest::Part;
  const auto add = [&](std::string_view name, Part part) {
    if (!request.text(part).empty()) json.member(name, request.text(part));
  };
  json.begin_object();
  json.member("time", iso_extended(request.time));
  add("operation", Part::Operation);
  add("table", Part::Table);
  add("region", Part::Region);
  add("error", Part::Error);
  json.member("request_id", request.text(Part::Id));
  json.end_object();
}

// Newest first, of clients.
void write_conflicts(JsonWriter& json, const AdminRequest& request, std::size_t limit) {
  json.key("conflicts");
  json.begin_array();
  std::size_t count = 0;
  if (request.parts.recent != nullptr) {
    request.parts.recent->look([&](const RecentRequest& recent) {
      if (count == limit || request.stop_condition.should_stop()) return false;
      if (recent.is_of_console || !is_conflict(recent)) return true;
      write_conflict(json, recent);
      ++count;
      return true;
    });
  }
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
  TransactionFigures figures;
  Engine::Reader reader(request.parts.engine);
  const auto shown =
      request.parts.engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
        figures = transaction_figures(snapshot, request.parts.settings.isolation, kFlightsMax);
        return {};
      });
  if (!shown) return admin_error(500, shown.error().message());
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("in_flight");
  json.begin_array();
  for (const TransactionFigures::Flight& flight : figures.flights) write_flight(json, flight);
  json.end_array();
  json.member("more", figures.has_more);
  write_conflicts(json, request, limit);
  json.member("tokens", static_cast<std::int64_t>(figures.tokens));
  json.end_object();
  return answer;
}

}  // namespace stator

// /_stator/requests: the last requests, for whoever asks why one failed.
#include <string>

#include "protocol/utf8.h"
#include "server/admin/verbs.h"
#include "server/explain/recent_requests.h"
#include "server/iso_time.h"
#include "server/log_text.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

constexpr std::string_view kNoneKept = "no requests are kept here: --explain 0";

// What clients sent may be anything, and cut in the middle of a character.
void put_text(JsonWriter& json, std::string_view name, std::string_view text) {
  is_valid_utf8(text) ? json.member(name, text) : json.member(name, log::escaped(text));
}

void put_beginning(JsonWriter& json, std::string_view name, std::string_view bytes_name,
                   const RecentRequest& request, Part part) {
  put_text(json, name, request.text(part));
  json.member(bytes_name, static_cast<std::int64_t>(request.whole_bytes(part)));
}

// The members that a list has, too. What is not known is left out.
void put_summary(JsonWriter& json, const RecentRequest& request) {
  const auto put_known = [&json](std::string_view name, std::string_view text) {
    if (!text.empty()) put_text(json, name, text);
  };
  json.member("request_id", request.text(Part::Id));
  json.member("time", iso_extended(request.time));
  put_known("operation", request.text(Part::Operation));
  put_known("table", request.text(Part::Table));
  put_known("region", request.text(Part::Region));
  put_known("access_key", request.text(Part::AccessKey));
  json.member("status", std::int64_t{request.status});
  put_known("error", request.text(Part::Error));
  put_known("message", request.text(Part::Message));
  json.key("units");
  json.decimal(static_cast<double>(request.units_milli) / 1000);
  json.member("took_us", std::int64_t{request.took.count()});
}

}  // namespace

AdminAnswer show_requests(AdminRequest& request) {
  const RecentRequests* const recent = request.parts.recent;
  if (recent == nullptr) return admin_error(404, kNoneKept);
  AdminAnswer answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("requests");
  json.begin_array();
  recent->look([&](const RecentRequest& kept) {
    json.begin_object();
    put_summary(json, kept);
    json.end_object();
    return request.audience.is_waiting();
  });
  json.end_array();
  json.end_object();
  return answer;
}

AdminAnswer show_request(AdminRequest& request) {
  const RecentRequests* const recent = request.parts.recent;
  if (recent == nullptr) return admin_error(404, kNoneKept);
  const auto kept = recent->find(request.name);
  if (kept == nullptr) return admin_error(404, "no request of this id is kept any more");
  AdminAnswer answer;
  JsonWriter json(answer.body);
  json.begin_object();
  put_summary(json, *kept);
  put_beginning(json, "request", "request_bytes", *kept, Part::Asked);
  put_beginning(json, "answer", "answer_bytes", *kept, Part::Answered);
  json.end_object();
  return answer;
}

}  // namespace stator

// /_stator/triggers: what the triggers do, their calls and failures; waiting until they are done;
// whether a filter matches.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "protocol/json/json_node_text.h"
#include "server/admin/verbs.h"
#include "server/http/query_text.h"
#include "server/triggers/delivery/triggers.h"
#include "streams/filters/record_filter.h"

namespace stator {

namespace {

using triggers::Triggers;

constexpr std::string_view kNoTriggers = "this server has no triggers";
constexpr std::chrono::milliseconds kSettleTime{30'000};

// The number of the parameter `since`, 0 without it; empty if it is none.
std::optional<std::uint64_t> since_of(std::string_view query) {
  std::optional<std::uint64_t> since = 0;
  for_each_parameter(query, [&since](std::string_view name, std::string_view value) {
    if (name != "since") return true;
    std::uint64_t number = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = read.ec == std::errc{} && read.ptr == value.data() + value.size();
    since = is_number ? std::optional(number) : std::nullopt;
    return is_number;
  });
  return since;
}

template <class Write>
AdminResponse show_list(const AdminRequest& request, const Write& write) {
  if (request.parts.triggers == nullptr) return admin_error(404, kNoTriggers);
  const auto since = since_of(request.query);
  if (!since) return admin_error(400, "since is to be a number");
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  write(*request.parts.triggers, json, *since);
  json.end_object();
  return answer;
}

// Empty if the body's timeout_ms is no number of milliseconds.
std::optional<std::chrono::milliseconds> time_of(const JsonNode* body) {
  const JsonNode* const given = body == nullptr ? nullptr : body->find("timeout_ms");
  if (given == nullptr) return kSettleTime;
  std::uint32_t number = 0;
  const std::string_view text = given->kind() == JsonNode::Kind::Integer ? given->text() : "";
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size()) return {};
  return std::chrono::milliseconds(number);
}

// Those of mappings, or those of events.
void write_statuses(JsonWriter& json, const std::vector<triggers::MappingStatus>& statuses,
                    bool of_events) {
  json.key(of_events ? "events" : "mappings");
  json.begin_array();
  for (const triggers::MappingStatus& status : statuses) {
    if (status.uuid.empty() != of_events) continue;
    json.begin_object();
    if (!of_events) json.member("mapping", status.uuid);
    json.member("function", status.function_arn);
    write_status(json, status);
    json.end_object();
  }
  json.end_array();
}

// Waits by `wait(time, json)`, which may write members of the answer, for the time of the body;
// answers whether all calls have ended, and what each mapping waits for.
template <class Wait>
AdminResponse wait_for_triggers(const AdminRequest& request, const Wait& wait) {
  if (request.parts.triggers == nullptr) return admin_error(404, kNoTriggers);
  const auto time = time_of(request.body);
  if (!time) return admin_error(400, "timeout_ms is to be a whole number of milliseconds");
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  const Triggers::Deliveries after = wait(*time, json);
  json.member("settled", after.is_settled);
  write_statuses(json, after.statuses, false);
  write_statuses(json, after.statuses, true);
  json.end_object();
  return answer;
}

// The text of a pattern, which may be given as an object or as its text; empty: it is neither.
std::string pattern_of(const JsonNode& body) {
  const JsonNode* const pattern = body.find("Pattern");
  if (pattern == nullptr) return {};
  if (pattern->kind() == JsonNode::Kind::String) return std::string(pattern->text());
  std::string text;
  append_node_json(text, *pattern);
  return text;
}

}  // namespace

AdminResponse show_triggers(AdminRequest& request) {
  return show_list(request, [](Triggers& triggers, JsonWriter& json, std::uint64_t /*since*/) {
    triggers.write_mappings(json);
  });
}

AdminResponse show_invocations(AdminRequest& request) {
  return show_list(request, [](Triggers& triggers, JsonWriter& json, std::uint64_t since) {
    triggers.write_invocations(json, since);
  });
}

AdminResponse show_trigger_failures(AdminRequest& request) {
  return show_list(request, [](Triggers& triggers, JsonWriter& json, std::uint64_t since) {
    triggers.write_failures(json, since);
  });
}

AdminResponse show_filtered_records(AdminRequest& request) {
  return show_list(request, [](Triggers& triggers, JsonWriter& json, std::uint64_t since) {
    triggers.write_filtered(json, since);
  });
}

AdminResponse settle_triggers(AdminRequest& request) {
  return wait_for_triggers(request, [&](auto time, JsonWriter& /*json*/) {
    return request.parts.triggers->settle(Triggers::Until::AllDone, time, request.stop_condition);
  });
}

AdminResponse pause_triggers(AdminRequest& request) {
  return wait_for_triggers(request, [&](auto time, JsonWriter& /*json*/) {
    return request.parts.triggers->pause(time, request.stop_condition);
  });
}

AdminResponse step_triggers(AdminRequest& request) {
  if (request.parts.triggers != nullptr && !request.parts.triggers->is_paused())
    return admin_error(409, "deliveries are not paused: POST /_stator/triggers/pause comes first");
  return wait_for_triggers(request, [&](auto time, JsonWriter& json) {
    return request.parts.triggers->step(time, request.stop_condition, json);
  });
}

AdminResponse resume_triggers(AdminRequest& request) {
  if (request.parts.triggers == nullptr) return admin_error(404, kNoTriggers);
  request.parts.triggers->resume();
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.member("paused", false);
  json.end_object();
  return answer;
}

AdminResponse explain_filter(AdminRequest& request) {
  const std::string pattern = request.body == nullptr ? std::string() : pattern_of(*request.body);
  const JsonNode* const record = request.body == nullptr ? nullptr : request.body->find("record");
  const bool has_record = record != nullptr && record->kind() == JsonNode::Kind::Object;
  if (pattern.empty() || !has_record)
    return admin_error(400, "the body is to have the members Pattern and record");
  const auto filter = compile_filter(pattern);
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.member("valid", filter.has_value());
  const auto mismatch = filter ? filter->explain(*record) : std::nullopt;
  json.member("matches", filter && !mismatch);
  if (!filter) {
    json.member("field", filter.error().path);
    json.member("reason", filter.error().reason);
  } else if (mismatch) {
    json.member("field", mismatch->path);
    json.member("reason", mismatch->reason);
  }
  json.end_object();
  return answer;
}

}  // namespace stator

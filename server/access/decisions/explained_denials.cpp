#include "server/access/decisions/explained_denials.h"

#include <cstdint>
#include <vector>

#include "engine/seams/iso_time.h"
#include "protocol/json/json_writer.h"
#include "protocol/text/escaped_text.h"
#include "protocol/text/utf8.h"
#include "server/access/decisions/authorization.h"
#include "server/access/decisions/simulation.h"

namespace stator::access {

namespace {

bool is_asked_for(const DeniedAccess& denied, const DenialQuery& query) {
  const Identity& sender = *denied.sender;
  const bool is_principal = query.principal.empty() || sender.principal.arn == query.principal ||
                            sender.principal_arn == query.principal;
  return is_principal && (query.request_id.empty() || denied.request_id == query.request_id);
}

// Header values may be any bytes.
void write_value(JsonWriter& json, const std::string& value) {
  if (is_valid_utf8(value)) return json.string(value);
  json.string(escaped_text(value));
}

void write_context(JsonWriter& json, const RequestContext& context) {
  json.begin_object();
  for (const ContextKey& key : context.keys()) {
    json.key(is_valid_utf8(key.name) ? key.name : escaped_text(key.name));
    if (key.is_unknowable) {
      json.null();
      continue;
    }
    if (key.is_multi_valued) json.begin_array();
    for (const std::string& value : key.values) write_value(json, value);
    if (key.is_multi_valued) json.end_array();
  }
  json.end_object();
}

Simulation explained(const DeniedAccess& denied) {
  const Question question{denied.action, denied.resource, denied.resource_policy, denied.context};
  return {explain_decision(*denied.sender, question), denied.message};
}

std::vector<DeniedAccess> chosen(const RecentDenials& denials, const DenialQuery& query) {
  std::vector<DeniedAccess> found = denials.list();
  std::erase_if(found, [&](const DeniedAccess& denied) { return !is_asked_for(denied, query); });
  if (found.size() > query.limit) found.resize(query.limit);
  return found;
}

void write_denial(JsonWriter& json, const DeniedAccess& denied) {
  json.begin_object();
  json.member("time", iso_extended(denied.time));
  if (!denied.request_id.empty()) json.member("request_id", denied.request_id);
  json.member("principal", denied.sender->principal.arn);
  json.member("action", denied.action);
  json.member("resource", denied.resource);
  json.key("context");
  write_context(json, denied.context);
  write_decision(json, explained(denied));
  json.end_object();
}

std::string text_of(const DeniedAccess& denied) {
  std::string text = iso_extended(denied.time);
  if (!denied.request_id.empty()) text.append(", request ").append(denied.request_id);
  return text.append("\n").append(simulation_text(explained(denied)));
}

}  // namespace

std::string denials_json(const RecentDenials& denials, const DenialQuery& query) {
  const std::vector<DeniedAccess> found = chosen(denials, query);
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("count", static_cast<std::int64_t>(found.size()));
  json.key("denials");
  json.begin_array();
  for (const DeniedAccess& denied : found) write_denial(json, denied);
  json.end_array();
  json.end_object();
  return out;
}

std::string denials_text(const RecentDenials& denials, const DenialQuery& query) {
  const std::vector<DeniedAccess> found = chosen(denials, query);
  std::string text;
  for (const DeniedAccess& denied : found)
    text.append(text.empty() ? "" : "\n").append(text_of(denied));
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("count", static_cast<std::int64_t>(found.size()));
  json.member("text", text);
  json.end_object();
  return out;
}

}  // namespace stator::access

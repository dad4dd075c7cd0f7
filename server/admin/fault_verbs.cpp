// /_stator/faults: the rules for requests that fail on demand.
#include "engine/api/engine.h"
#include "engine/api/operation_table.h"
#include "engine/seams/iso_time.h"
#include "server/admin/verbs.h"
#include "server/faults/fault_rules.h"
#include "server/faults/presets.h"
#include "server/faults/rule_reader.h"
#include "server/http/query_text.h"

namespace stator {

namespace {

using faults::FaultRules;
using faults::LiveRule;

AdminResponse without_faults() {
  return admin_error(404, "this server has no faults: --faults off");
}

AdminResponse no_such_rule(const AdminRequest& request) {
  return admin_error(
      404, "there is no rule of this name, or not any more: " + std::string(request.name));
}

void write_rule(JsonWriter& json, const LiveRule& live) {
  json.begin_object();
  json.member("name", live.rule().name);
  json.key("rule");
  json.raw(live.rule().text);
  json.member("made", iso_extended(live.made()));
  json.member("matched", static_cast<std::int64_t>(live.matched()));
  json.member("fired", static_cast<std::int64_t>(live.fired()));
  json.member("spent", live.is_spent());
  json.key("firings");
  json.begin_array();
  for (const faults::Firing& firing : live.firings()) {
    json.begin_object();
    json.member("n", static_cast<std::int64_t>(firing.number));
    json.member("time", iso_extended(firing.time));
    json.member("effect", live.rule().effect.name());
    if (!firing.request_id.empty()) json.member("request_id", firing.request_id);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

AdminResponse show(const FaultRules& rules, const std::vector<std::shared_ptr<LiveRule>>& shown) {
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.member("seed", std::to_string(rules.seed()));
  json.key("rules");
  json.begin_array();
  for (const auto& live : shown) write_rule(json, *live);
  json.end_array();
  json.end_object();
  return answer;
}

AdminResponse add(FaultRules& rules, std::vector<faults::FaultRule> more, Timestamp now) {
  const auto added = rules.add(std::move(more), now);
  if (!added)
    return admin_error(400, "there can be " + std::to_string(faults::kFaultRulesMax) +
                                " rules at most, remove some");
  return show(rules, *added);
}

AdminResponse removed(std::size_t count) {
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.member("removed", static_cast<std::int64_t>(count));
  json.end_object();
  return answer;
}

}  // namespace

AdminResponse show_faults(AdminRequest& request) {
  const FaultRules* const rules = request.parts.faults;
  return rules == nullptr ? without_faults() : show(*rules, rules->all());
}

AdminResponse show_fault(AdminRequest& request) {
  if (request.parts.faults == nullptr) return without_faults();
  const auto live = request.parts.faults->find(request.name);
  if (live == nullptr) return no_such_rule(request);
  AdminResponse answer;
  JsonWriter json(answer.body);
  write_rule(json, *live);
  return answer;
}

AdminResponse add_faults(AdminRequest& request) {
  if (request.parts.faults == nullptr) return without_faults();
  if (request.body == nullptr) return admin_error(400, "the body is to be a rule");
  auto rules = faults::read_rules(*request.body, request.parts.operations.rows());
  if (!rules) return admin_error(400, rules.error());
  return add(*request.parts.faults, std::move(*rules), request.parts.engine.clock().now());
}

AdminResponse add_preset(AdminRequest& request) {
  if (request.parts.faults == nullptr) return without_faults();
  const JsonNode* const argument =
      request.body == nullptr ? nullptr : request.body->find("argument");
  if (argument != nullptr && argument->kind() != JsonNode::Kind::String)
    return admin_error(400, "argument is to be a string");
  const std::string name = percent_decoded(request.name);
  const Timestamp now = request.parts.engine.clock().now();
  auto rules =
      faults::read_preset({name, argument == nullptr ? std::string_view() : argument->text()}, now,
                          request.parts.operations.rows());
  if (!rules) return admin_error(400, rules.error());
  return add(*request.parts.faults, std::move(*rules), now);
}

AdminResponse remove_fault(AdminRequest& request) {
  if (request.parts.faults == nullptr) return without_faults();
  return request.parts.faults->remove(request.name) ? removed(1) : no_such_rule(request);
}

AdminResponse clear_faults(AdminRequest& request) {
  if (request.parts.faults == nullptr) return without_faults();
  return removed(request.parts.faults->clear());
}

}  // namespace stator

#include "server/access/decisions/simulation.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "protocol/json/json_writer.h"
#include "server/access/decisions/authorization.h"
#include "server/access/decisions/request_facts.h"
#include "server/access/principals/known_keys.h"

namespace stator::access {

namespace {

// The name of a session that stands for any of its role.
constexpr std::string_view kAnySession = "simulated";

// nullptr if there is no such principal.
std::shared_ptr<const Identity> simulated_identity(const Directory& directory,
                                                   std::string_view arn) {
  if (const auto role = directory.roles.find(arn); role != directory.roles.end()) {
    SessionDraft draft;
    draft.name = kAnySession;
    return role_session(role->second, std::move(draft));
  }
  const Identity* const found = directory.find(arn);
  return found == nullptr ? nullptr : std::make_shared<const Identity>(*found);
}

tl::expected<void, std::string> read_context(const JsonNode& json, RequestContext& context) {
  const auto wrong = [](std::string_view key) {
    std::string text("context: ");
    return tl::unexpected(text.append(key).append(" is neither a string nor a list of strings"));
  };
  if (json.kind() != JsonNode::Kind::Object)
    return tl::unexpected(std::string("context is not an object"));
  for (const JsonMember& member : json.members()) {
    if (member.value.kind() == JsonNode::Kind::String) {
      add_simulated_key(context, member.name, member.value.text());
      continue;
    }
    if (member.value.kind() != JsonNode::Kind::Array) return wrong(member.name);
    std::vector<std::string> values;
    for (const JsonNode& value : member.value.elements()) {
      if (value.kind() != JsonNode::Kind::String) return wrong(member.name);
      values.emplace_back(value.text());
    }
    context.set_list(member.name, std::move(values));
  }
  return {};
}

std::string statement_line(const StatementReport& report) {
  std::string line(report.applies ? "+ " : "- ");
  line.append(policy_type_name(report.type)).append(" ").append(std::to_string(report.policy + 1));
  line.append(", statement ").append(std::to_string(report.statement + 1));
  if (!report.sid.empty()) line.append(" (").append(report.sid).append(")");
  line.append(report.is_deny ? ", Deny: " : ", Allow: ");
  return line.append(report.applies ? "applies" : report.mismatch).append("\n");
}

}  // namespace

tl::expected<Simulation, std::string> simulate(const Directory& directory,
                                               const SimulatedRequest& request) {
  const auto identity = simulated_identity(directory, request.principal);
  if (identity == nullptr) return tl::unexpected("there is no principal " + request.principal);
  RequestContext context;
  add_identity_keys(context, *identity, request.now);
  const std::string_view owner = account_of(request.resource, identity->principal.account);
  context.set("aws:ResourceAccount", owner);
  for (const ContextKey& key : request.context.keys()) context.set(key);
  const Question question{request.action, request.resource, request.resource_policy, context};
  Simulation made{explain_decision(*identity, question), {}};
  if (!made.explanation.decision.is_allowed()) {
    made.message =
        denial_text(identity->principal, {request.action, request.resource, owner, context},
                    made.explanation.decision.reason);
  }
  return made;
}

void add_simulated_key(RequestContext& context, std::string_view key, std::string_view value) {
  const ContextKey* const known = context.find(key);
  if (known == nullptr && !is_list_key(key)) return context.set(key, value);
  std::vector<std::string> values;
  if (known != nullptr) values = known->values;
  values.emplace_back(value);
  context.set_list(key, std::move(values));
}

tl::expected<SimulatedRequest, std::string> read_simulated_request(const JsonNode& json) {
  SimulatedRequest request;
  const std::array<std::pair<std::string_view, std::string*>, 3> texts{
      {{"principal", &request.principal},
       {"action", &request.action},
       {"resource", &request.resource}}};
  for (const auto& [name, target] : texts) {
    const JsonNode* const member = json.find(name);
    if (member == nullptr || member->kind() != JsonNode::Kind::String)
      return tl::unexpected(std::string(name).append(" is to be a string"));
    *target = member->text();
  }
  if (const JsonNode* const context = json.find("context")) {
    if (auto read = read_context(*context, request.context); !read)
      return tl::unexpected(std::move(read).error());
  }
  return request;
}

void write_decision(JsonWriter& json, const Simulation& simulation) {
  const Decision& decision = simulation.explanation.decision;
  json.member("decision", decision.is_allowed() ? "allowed" : "denied");
  json.member("reason", reason_name(decision.reason));
  if (!simulation.message.empty()) json.member("message", simulation.message);
  json.key("statements");
  json.begin_array();
  for (const StatementReport& report : simulation.explanation.statements) {
    json.begin_object();
    json.member("type", policy_type_name(report.type));
    json.member("policy", static_cast<std::int64_t>(report.policy));
    json.member("statement", static_cast<std::int64_t>(report.statement));
    if (!report.sid.empty()) json.member("sid", report.sid);
    json.member("effect", report.is_deny ? "Deny" : "Allow");
    json.member("applies", report.applies);
    if (!report.applies) json.member("mismatch", report.mismatch);
    json.end_object();
  }
  json.end_array();
}

std::string simulation_json(const Simulation& simulation) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  write_decision(json, simulation);
  json.end_object();
  return out;
}

std::string simulation_text(const Simulation& simulation) {
  const Decision& decision = simulation.explanation.decision;
  std::string out(decision.is_allowed() ? "allowed" : "denied: ");
  if (!decision.is_allowed()) out.append(reason_name(decision.reason));
  out += '\n';
  for (const StatementReport& report : simulation.explanation.statements)
    out.append(statement_line(report));
  if (!simulation.message.empty()) out.append(simulation.message).append("\n");
  return out;
}

}  // namespace stator::access

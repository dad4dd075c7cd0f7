// /_stator/access: the access file, simulated decisions, and the permissions that a run has used.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "engine/api/engine.h"
#include "engine/api/table_view.h"
#include "engine/call/scope.h"
#include "engine/seams/iso_time.h"
#include "protocol/service/arn.h"
#include "server/access/access_control.h"
#include "server/access/advisor/policy_formats.h"
#include "server/access/decisions/explained_denials.h"
#include "server/access/decisions/grants.h"
#include "server/access/decisions/simulation.h"
#include "server/admin/verbs.h"
#include "server/http/query_text.h"

namespace stator {

namespace {

AdminResponse without_access() {
  return admin_error(404, "this server has no access control: --auth off, without --access-report");
}

// Adds what the request's table says: its tags and its resource policy.
Result<void> add_table_facts(const AdminRequest& request, const access::AccessControl& access,
                             access::SimulatedRequest& simulated) {
  const auto arn = parse_table_arn(simulated.resource);
  if (!arn) return {};
  Call call;
  call.settings = access.settings_of(arn->account_id);
  if (call.settings == nullptr) call.settings = &request.parts.settings;
  if (call.settings->account_id != arn->account_id) return {};
  call.caller.region = arn->region;
  Engine::Reader reader(request.parts.engine);
  return request.parts.engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
    const Table* const table =
        TableView(snapshot).find(scope_of(call, call.arena), arn->table_name);
    if (table == nullptr) return {};
    for (const auto& [name, value] : table->tags) {
      std::string key("aws:ResourceTag/");
      key.append(name);
      if (simulated.context.find(key) == nullptr) simulated.context.set(key, value);
    }
    const bool is_of_stream = arn->rest.starts_with("/stream/");
    const Timestamp now = request.parts.engine.clock().now();
    if (table->policy && !is_of_stream) simulated.resource_policy = table->policy->document_at(now);
    if (is_of_stream && table->stream && table->stream->policy)
      simulated.resource_policy = table->stream->policy->document_at(now);
    return {};
  });
}

struct ReportQuery {
  access::Advisor::Filter filter;
  access::PolicyFormat format = access::PolicyFormat::Json;
  std::string against;
};

// Takes one parameter. Returns whether it is one.
bool take_parameter(std::string_view name, std::string value, ReportQuery& asked) {
  if (name == "principal" || name == "against") {
    (name == "principal" ? asked.filter.principal : asked.against) = std::move(value);
    return true;
  }
  if (name == "since") {
    asked.filter.since = parse_iso_extended(value);
    return asked.filter.since.has_value();
  }
  if (name == "format") {
    const auto format = access::policy_format_of(value);
    asked.format = format.value_or(access::PolicyFormat::Json);
    return format.has_value();
  }
  if (name == "only") asked.filter.only_denied = true;
  if (name == "resources") asked.filter.has_resources = false;
  if (name == "indexes") asked.filter.has_index_names = false;
  if (name == "attributes") asked.filter.has_attributes = true;
  constexpr std::pair<std::string_view, std::string_view> kFixed[] = {
      {"only", "denied"}, {"resources", "none"}, {"indexes", "all"}, {"attributes", "list"}};
  return std::find(std::begin(kFixed), std::end(kFixed),
                   std::pair<std::string_view, std::string_view>(name, value)) != std::end(kFixed);
}

tl::expected<ReportQuery, std::string> read_report_query(std::string_view query) {
  ReportQuery asked;
  bool is_known = true;
  for_each_parameter(query, [&](std::string_view name, std::string_view sent) {
    is_known = take_parameter(name, percent_decoded(sent), asked);
    return is_known;
  });
  if (!is_known)
    return tl::unexpected(std::string(
        "the parameters are principal=ARN, since=TIME, against=ARN or own, only=denied, "
        "resources=none, indexes=all, attributes=list and format=json, terraform, cdk or sam"));
  return asked;
}

}  // namespace

AdminResponse reload_access(AdminRequest& request) {
  access::AccessControl* const access = request.parts.access;
  if (access == nullptr) return without_access();
  const auto warnings = access->reload();
  if (!warnings) return admin_error(400, warnings.error());
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.member("principals", static_cast<std::int64_t>(access->directory()->users.size() +
                                                      access->directory()->roles.size()));
  json.key("warnings");
  json.begin_array();
  for (const std::string& warning : *warnings) json.string(warning);
  json.end_array();
  json.end_object();
  return answer;
}

AdminResponse show_access_report(AdminRequest& request) {
  access::AccessControl* const access = request.parts.access;
  if (access == nullptr) return without_access();
  const auto asked = read_report_query(request.query);
  if (!asked) return admin_error(400, asked.error());
  access::Advisor::Filter filter = asked->filter;
  if (!asked->against.empty()) {
    const auto directory = access->directory();
    if (!access::can_compare(*directory, asked->against))
      return admin_error(404, "the access file has no policy or principal " + asked->against);
    const Timestamp now = request.parts.engine.clock().now();
    filter.grant = [directory, now, &against = asked->against](const std::string& principal) {
      return access::grant_of(*directory, principal, against, now);
    };
  }
  if (asked->format == access::PolicyFormat::Json) return {200, access->advisor().report(filter)};
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.member("format", access::policy_format_name(asked->format));
  json.member("text", access::policies_text(access->advisor().policies(filter), asked->format));
  json.end_object();
  return answer;
}

AdminResponse show_access_denials(AdminRequest& request) {
  access::AccessControl* const access = request.parts.access;
  if (access == nullptr) return without_access();
  access::DenialQuery query;
  bool is_text = false;
  std::string_view why;
  for_each_parameter(request.query, [&](std::string_view name, std::string_view sent) {
    std::string value = percent_decoded(sent);
    if (name == "limit") {
      if (!read_list_limit(value, query.limit)) why = kListLimitText;
    } else if (name == "principal" || name == "request") {
      (name == "principal" ? query.principal : query.request_id) = std::move(value);
    } else {
      is_text = name == "format" && value == "text";
      if (!is_text) why = "the parameters are principal=ARN, request=ID, limit and format=text";
    }
    return why.empty();
  });
  if (!why.empty()) return admin_error(400, why);
  return {200, is_text ? access::denials_text(access->denials(), query)
                       : access::denials_json(access->denials(), query)};
}

AdminResponse reset_access_report(AdminRequest& request) {
  if (request.parts.access == nullptr) return without_access();
  request.parts.access->advisor().reset();
  request.parts.access->denials().clear();
  return {200, "{}"};
}

AdminResponse simulate_access(AdminRequest& request) {
  access::AccessControl* const access = request.parts.access;
  if (access == nullptr) return without_access();
  if (request.body == nullptr) return admin_error(400, "the body is not a JSON object");
  auto asked = access::read_simulated_request(*request.body);
  if (!asked) return admin_error(400, asked.error());
  asked->now = request.parts.engine.clock().now();
  if (!add_table_facts(request, *access, *asked))
    return admin_error(500, "the tables cannot be read, see the log");
  const auto made = access::simulate(*access->directory(), *asked);
  if (!made) return admin_error(400, made.error());
  return {200, access::simulation_json(*made)};
}

}  // namespace stator

// POST /_stator/settings: changes what may change while the server runs.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "server/admin/setting_rows.h"
#include "server/admin/verbs.h"
#include "server/dispatch/live_settings.h"

namespace stator {

namespace {

std::string names_of_live_settings() {
  std::string names;
  for (const LiveSetting& one : live_settings())
    names.append(names.empty() ? "" : ", ").append(one.name);
  return names;
}

// The value as text: of a string, or of a number. Empty if it is neither.
std::string text_of_value(const JsonNode& value) {
  if (value.kind() == JsonNode::Kind::String || value.kind() == JsonNode::Kind::Integer ||
      value.kind() == JsonNode::Kind::Decimal)
    return std::string(value.text());
  return {};
}

// REQUIRES: not Done.
AdminResponse refusal_of(LiveSettings::Outcome outcome) {
  switch (outcome) {
    case LiveSettings::Outcome::Done:
      break;
    case LiveSettings::Outcome::CountsNothing:
      return admin_error(400,
                         "throttling: the server was started with --throttling off and counts "
                         "nothing: start it with observe or enforce");
    case LiveSettings::Outcome::TooMany:
      return admin_error(503, "settings were changed too often: start the server again");
    case LiveSettings::Outcome::NotStored:
      return admin_error(500, "nothing is changed, because no commit succeeds: see the log");
    case LiveSettings::Outcome::NotFollowed:
      return admin_error(500,
                         "it is changed, but what waits for the old delays could not be adapted: "
                         "see the log and ask again");
  }
  return {};
}

}  // namespace

AdminResponse change_settings(AdminRequest& request) {
  std::vector<LiveSettings::Change> changes;
  const std::string text =
      "the body is to have settings that may change while the server runs, as "
      "in {\"transaction-time\": \"5s\"}: " +
      names_of_live_settings();
  if (request.body == nullptr || request.body->members().empty()) return admin_error(400, text);
  const auto all = live_settings();
  for (const JsonMember& member : request.body->members()) {
    const auto found = std::find_if(all.begin(), all.end(), [&member](const LiveSetting& one) {
      return one.name == member.name;
    });
    if (found == all.end()) return admin_error(400, text);
    const auto value = parse_live_value(*found, text_of_value(member.value));
    if (!value) return admin_error(400, std::string(found->name) + ": " + value.error());
    changes.push_back({&*found, *value});
  }
  const LiveSettings::Outcome outcome = request.parts.live->change(changes);
  if (outcome != LiveSettings::Outcome::Done) return refusal_of(outcome);
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  write_setting_rows(json, request.parts);
  json.end_object();
  return answer;
}

}  // namespace stator

// /_stator/reset: removes all tables, or those of one Region or access key, and on request their
// closed streams. Their event source mappings go too, and events for functions.
#include <optional>
#include <string>

#include "engine/api/control.h"
#include "engine/api/engine.h"
#include "server/admin/verbs.h"
#include "server/faults/fault_rules.h"
#include "server/triggers/delivery/triggers.h"
#include "server/triggers/mapping_store.h"

namespace stator {

namespace {

struct Owner {
  std::optional<std::string> region;
  std::optional<std::string> access_key;
};

struct ResetScope {
  Owner owner;
  ClosedStreams streams = ClosedStreams::Stay;
};

// Whether `scope` (engine/call/scope.h) belongs to `owner`.
bool owns(const Owner& owner, std::string_view scope, Isolation isolation) {
  std::string_view region = scope;
  if (isolation == Isolation::Key) {
    const std::size_t slash = scope.find('/');
    if (owner.access_key && scope.substr(0, slash) != *owner.access_key) return false;
    region = slash == std::string_view::npos ? std::string_view() : scope.substr(slash + 1);
  }
  return !owner.region || region == *owner.region;
}

// Returns what is invalid in the body; empty if nothing is.
std::string read_wanted(const AdminRequest& request, ResetScope& wanted) {
  if (request.body == nullptr) return {};
  Owner& owner = wanted.owner;
  for (const auto& [name, value] : request.body->members()) {
    const bool is_region = name == "region";
    if (!is_region && name != "access_key" && name != "streams")
      return "the body may have the members region, access_key and streams";
    if (value.is_null()) continue;
    if (name == "streams") {
      const bool is_true = value.kind() == JsonNode::Kind::True;
      if (!is_true && value.kind() != JsonNode::Kind::False)
        return "streams is to be true or false";
      wanted.streams = is_true ? ClosedStreams::Go : ClosedStreams::Stay;
      continue;
    }
    if (value.kind() != JsonNode::Kind::String) return std::string(name) + " is to be a string";
    (is_region ? owner.region : owner.access_key) = value.text();
  }
  const Isolation isolation = request.parts.settings.isolation;
  if (owner.access_key && isolation != Isolation::Key)
    return "tables belong to access keys with --isolate key alone";
  if (owner.region && isolation == Isolation::None)
    return "tables belong to no Region with --isolate none";
  return {};
}

}  // namespace

AdminResponse remove_tables(AdminRequest& request) {
  ResetScope wanted;
  if (const std::string wrong = read_wanted(request, wanted); !wrong.empty())
    return admin_error(400, wrong);
  if (request.parts.faults != nullptr) request.parts.faults->clear();
  const Isolation isolation = request.parts.settings.isolation;
  const auto is_meant = [&](std::string_view scope) {
    return owns(wanted.owner, scope, isolation);
  };
  // Mappings go first, so that none delivers what the reset does to tables.
  triggers::MappingStore* const mappings = request.parts.mappings;
  const bool are_mappings_gone = mappings == nullptr || mappings->remove_of_scopes(is_meant);
  if (request.parts.triggers != nullptr) request.parts.triggers->drop_events(is_meant);
  const Reset reset =
      reset_tables(request.parts.engine, is_meant, request.stop_condition, wanted.streams);
  const auto add_counts = [&](JsonWriter& json) {
    json.member("tables", static_cast<std::int64_t>(reset.tables));
    if (wanted.streams == ClosedStreams::Go)
      json.member("streams", static_cast<std::int64_t>(reset.streams));
  };
  if (!reset.is_whole || !are_mappings_gone)
    return admin_error(500, "not all could be removed, see the log", add_counts);
  AdminResponse answer;
  JsonWriter json(answer.body);
  json.begin_object();
  add_counts(json);
  json.end_object();
  return answer;
}

}  // namespace stator

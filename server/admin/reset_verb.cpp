// /_stator/reset: removes tables, all of them or those of a Region or an access key.
#include <optional>
#include <string>

#include "engine/engine.h"
#include "engine/reset.h"
#include "server/admin/verbs.h"

namespace stator {

namespace {

struct Owner {
  std::optional<std::string> region;
  std::optional<std::string> access_key;
};

// As the scopes of tables are made: engine/state/snapshot.cpp.
bool owns(const Owner& owner, std::string_view scope, Isolation isolation) {
  std::string_view region = scope;
  if (isolation == Isolation::Key) {
    const std::size_t slash = scope.find('/');
    if (owner.access_key && scope.substr(0, slash) != *owner.access_key) return false;
    region = slash == std::string_view::npos ? std::string_view() : scope.substr(slash + 1);
  }
  return !owner.region || region == *owner.region;
}

// The text of what is wrong; empty: nothing.
std::string read_owner(const AdminRequest& request, Owner& owner) {
  if (request.body == nullptr) return {};
  for (const auto& [name, value] : request.body->members()) {
    const bool is_region = name == "region";
    if (!is_region && name != "access_key")
      return "the body may have the members region and access_key";
    if (value.is_null()) continue;
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

AdminAnswer remove_tables(AdminRequest& request) {
  Owner owner;
  if (const std::string wrong = read_owner(request, owner); !wrong.empty())
    return admin_error(400, wrong);
  const Isolation isolation = request.parts.settings.isolation;
  const Reset reset = reset_tables(
      request.parts.engine, [&](std::string_view scope) { return owns(owner, scope, isolation); },
      request.audience);
  const auto tables = static_cast<std::int64_t>(reset.tables);
  if (!reset.is_whole) {
    return admin_error(500, "not all tables could be removed, see the log",
                       [&](JsonWriter& json) { json.member("tables", tables); });
  }
  AdminAnswer answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.member("tables", tables);
  json.end_object();
  return answer;
}

}  // namespace stator

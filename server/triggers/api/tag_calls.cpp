// ListTags, TagResource and UntagResource, of event source mappings.
#include <algorithm>
#include <utility>

#include "protocol/json/json_writer.h"
#include "server/http/query_text.h"
#include "server/triggers/api/lambda_call.h"
#include "server/triggers/api/mapping_request.h"

namespace stator::triggers {
namespace {

constexpr std::uint16_t kNoContent = 204;
constexpr std::size_t kUuidChars = 36;
constexpr std::string_view kMappingKind = ":event-source-mapping:";
constexpr std::string_view kResourcePattern =
    R"(arn:(aws[a-zA-Z-]*):lambda:[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1}:\d{12}:)"
    R"((function:[a-zA-Z0-9-_]+(:(\$LATEST|[a-zA-Z0-9-_]+))?|layer:([a-zA-Z0-9-_]+)|)"
    R"(code-signing-config:csc-[a-z0-9]{17}|event-source-mapping:)"
    R"([a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}))";

LambdaRefusal no_such_resource(const std::string& arn) {
  const bool is_function = arn.find(":function:") != std::string::npos;
  return source_not_found(
      (is_function ? "Function not found: " : "Event source mapping not found: ") + arn);
}

// The UUID of the mapping that the path names.
LambdaResult<std::string> read_resource(const LambdaCall& call) {
  const std::string& arn = call.name;
  const std::size_t kind = arn.find(kMappingKind);
  const bool is_mapping =
      kind != std::string::npos && arn.size() == kind + kMappingKind.size() + kUuidChars;
  const bool is_function = arn.find(":function:") != std::string::npos;
  if (!arn.starts_with("arn:aws") || arn.find(":lambda:") == std::string::npos ||
      (!is_mapping && !is_function)) {
    ConstraintList violations;
    violations.add(
        "resource", arn,
        std::string("Member must satisfy regular expression pattern: ").append(kResourcePattern));
    return violations.refusal();
  }
  if (is_function) return no_such_resource(arn);
  return arn.substr(kind + kMappingKind.size());
}

bool is_tagged_resource(const Mapping& mapping, const LambdaCall& call) {
  return mapping.scope == call.scope && mapping.arn() == call.name;
}

// Changes the tags in one commit, and nothing else.
template <class Change>
LambdaResult<LambdaAnswer> change_tags(const LambdaCall& call, const std::string& uuid,
                                       const Change& change) {
  bool is_found = false;
  bool is_too_many = false;
  const auto decide = [&](const std::vector<Mapping>& stored, Timestamp) -> Result<Mapping> {
    const auto found = std::find_if(stored.begin(), stored.end(), [&](const Mapping& mapping) {
      return mapping.uuid == uuid && is_tagged_resource(mapping, call);
    });
    is_found = found != stored.end();
    if (!is_found) return Error::internal_server_error();
    Mapping changed = *found;
    change(changed.tags);
    is_too_many = changed.tags.size() > kTagsMax;
    if (is_too_many) return Error::internal_server_error();
    return changed;
  };
  const auto changed = call.parts.mappings.change(decide);
  if (changed) return LambdaAnswer{kNoContent, {}};
  if (!is_found) return no_such_resource(call.name);
  if (is_too_many) return invalid_value("A resource has at most 50 tags.");
  return store_failure(changed.error());
}

}  // namespace

LambdaResult<LambdaAnswer> list_tags(const LambdaCall& call) {
  const auto uuid = read_resource(call);
  if (!uuid) return tl::unexpected(uuid.error());
  const auto mapping = call.parts.mappings.find(*uuid);
  if (!mapping) return store_failure(mapping.error());
  if (!*mapping || !is_tagged_resource(**mapping, call)) return no_such_resource(call.name);
  LambdaAnswer answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("Tags");
  json.begin_object();
  for (const auto& [name, value] : (*mapping)->tags) json.member(name, value);
  json.end_object();
  json.end_object();
  return answer;
}

LambdaResult<LambdaAnswer> tag_resource(const LambdaCall& call) {
  const auto uuid = read_resource(call);
  if (!uuid) return tl::unexpected(uuid.error());
  const JsonNode* const node = call.body == nullptr ? nullptr : call.body->find("Tags");
  if (node == nullptr) {
    ConstraintList violations;
    violations.add_null("tags");
    return violations.refusal();
  }
  const auto tags = read_tags(*node);
  if (!tags) return tl::unexpected(tags.error());
  return change_tags(call, *uuid, [&](MappingTags& stored) {
    for (const auto& [name, value] : *tags) stored[name] = value;
  });
}

LambdaResult<LambdaAnswer> untag_resource(const LambdaCall& call) {
  const auto uuid = read_resource(call);
  if (!uuid) return tl::unexpected(uuid.error());
  std::vector<std::string> names;
  for_each_parameter(call.query, [&](std::string_view sent, std::string_view value) {
    if (sent == "tagKeys") names.push_back(percent_decoded(value));
    return true;
  });
  if (names.empty()) {
    ConstraintList violations;
    violations.add_null("tagKeys");
    return violations.refusal();
  }
  return change_tags(call, *uuid, [&](MappingTags& stored) {
    for (const std::string& name : names) stored.erase(name);
  });
}

}  // namespace stator::triggers

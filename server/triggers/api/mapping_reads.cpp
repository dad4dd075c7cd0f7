// GetEventSourceMapping and ListEventSourceMappings.
#include <algorithm>
#include <charconv>

#include "server/triggers/api/function_name.h"
#include "server/triggers/api/lambda_call.h"
#include "server/triggers/api/mapping_text.h"

namespace stator::triggers {
namespace {

constexpr std::size_t kMappingsInPage = 100;

// The place after a mapping in the list, which stays right while mappings come and go.
std::string marker_after(const Mapping& mapping) {
  return std::to_string(mapping.created.unix_us).append("/").append(mapping.uuid);
}

// Whether the mapping comes after the marker's; an unreadable marker has none before it.
LambdaResult<std::optional<std::pair<Timestamp, std::string>>> read_marker(const LambdaCall& call) {
  const auto text = call.parameter("Marker");
  if (!text || text->empty()) return std::nullopt;
  Timestamp created;
  const std::size_t slash = std::min(text->find('/'), text->size());
  const auto [end, error] = std::from_chars(text->data(), text->data() + slash, created.unix_us);
  if (error != std::errc() || end != text->data() + slash || slash == text->size())
    return invalid_value("Invalid Marker");
  return std::pair(created, text->substr(slash + 1));
}

// Whether the mapping is of the function, whose qualifier counts if it has one.
bool is_of_function(const Mapping& mapping, const FunctionName& name, const LambdaCall& call,
                    Timestamp now) {
  const std::string_view arn = mapping.effective(now).function_arn;
  FunctionName unqualified = name;
  unqualified.qualifier = {};
  const std::string bare = unqualified.arn(call.region, call.parts.settings.account_id);
  if (name.qualifier.empty()) return arn == bare || arn.starts_with(bare + ":");
  return arn == name.arn(call.region, call.parts.settings.account_id);
}

LambdaResult<void> add_mapping(JsonWriter& json, const Mapping& mapping, MappingStore& mappings,
                               Timestamp now) {
  const auto result = mappings.result(mapping.uuid);
  if (!result) return store_failure(result.error());
  write_mapping(json, mapping, {mapping.effective(now), mapping.state(now), *result});
  return {};
}

}  // namespace

LambdaResult<LambdaAnswer> get_mapping(const LambdaCall& call) {
  if (auto checked = check_uuid(call); !checked) return tl::unexpected(std::move(checked).error());
  const auto mapping = call.parts.mappings.find(call.name);
  if (!mapping) return store_failure(mapping.error());
  if (!*mapping || (*mapping)->scope != call.scope)
    return source_not_found("The resource you requested does not exist.");
  LambdaAnswer answer;
  JsonWriter json(answer.body);
  if (auto added =
          add_mapping(json, **mapping, call.parts.mappings, call.parts.engine.clock().now());
      !added)
    return tl::unexpected(std::move(added).error());
  return answer;
}

LambdaResult<LambdaAnswer> list_mappings(const LambdaCall& call) {
  const auto items_max = read_max_items(call, kMappingsInPage);
  if (!items_max) return tl::unexpected(items_max.error());
  const auto after = read_marker(call);
  if (!after) return tl::unexpected(after.error());
  const auto source = call.parameter("EventSourceArn");
  const auto function = call.parameter("FunctionName");
  const auto name = function ? parse_function_name(*function) : std::nullopt;
  if (function && !name) {
    ConstraintList violations;
    violations.add("functionName", *function,
                   std::string("Member must satisfy regular expression pattern: ")
                       .append(function_name_pattern()));
    return violations.refusal();
  }
  const auto mappings = call.parts.mappings.list();
  if (!mappings) return store_failure(mappings.error());
  const Timestamp now = call.parts.engine.clock().now();
  LambdaAnswer answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("EventSourceMappings");
  json.begin_array();
  const Mapping* last = nullptr;
  bool has_more = false;
  std::size_t count = 0;
  for (const Mapping& mapping : *mappings) {
    const bool is_meant = mapping.scope == call.scope &&
                          (!*after || std::pair(mapping.created, mapping.uuid) > **after) &&
                          (!source || mapping.stream_arn == *source) &&
                          (!name || is_of_function(mapping, *name, call, now));
    if (!is_meant) continue;
    if (count == *items_max) {
      has_more = true;
      break;
    }
    if (auto added = add_mapping(json, mapping, call.parts.mappings, now); !added)
      return tl::unexpected(std::move(added).error());
    last = &mapping;
    ++count;
  }
  json.end_array();
  if (has_more) json.member("NextMarker", marker_after(*last));
  json.end_object();
  return answer;
}

}  // namespace stator::triggers

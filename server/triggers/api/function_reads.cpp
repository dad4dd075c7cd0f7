// GetFunction, GetFunctionConfiguration and ListFunctions: the functions of --function, with what
// this server knows of them.
#include <algorithm>

#include "protocol/json/json_writer.h"
#include "server/triggers/api/function_name.h"
#include "server/triggers/api/lambda_call.h"

namespace stator::triggers {
namespace {

constexpr std::size_t kFunctionsInPage = 50;

std::string arn_of_function(const LambdaCall& call, std::string_view name) {
  FunctionName named;
  named.name = name;
  return named.arn(call.region, call.parts.settings.account_id);
}

void write_configuration(JsonWriter& json, const LambdaCall& call, const FunctionTarget& function) {
  json.begin_object();
  json.member("FunctionName", function.name);
  json.member("FunctionArn", arn_of_function(call, function.name));
  json.member("Runtime", "provided.al2023");
  json.member("PackageType", "Zip");
  json.member("CodeSize", std::int64_t{0});
  json.member("Description", "");
  json.member("Timeout", std::chrono::ceil<std::chrono::seconds>(function.timeout).count());
  json.member("Version", "$LATEST");
  json.member("State", "Active");
  json.member("LastUpdateStatus", "Successful");
  json.end_object();
}

// The registered function that the path names; --function-default has no name and is none.
LambdaResult<const FunctionTarget*> find_named(const LambdaCall& call) {
  const auto name = parse_function_name(call.name);
  if (!name) {
    ConstraintList violations;
    violations.add("functionName", call.name,
                   std::string("Member must satisfy regular expression pattern: ")
                       .append(function_name_pattern()));
    return violations.refusal();
  }
  const auto named = call.parts.functions.named();
  const auto found = std::find_if(named.begin(), named.end(), [&](const FunctionTarget& function) {
    return function.name == name->name;
  });
  if (found != named.end()) return &*found;
  return source_not_found("Function not found: " +
                          name->arn(call.region, call.parts.settings.account_id));
}

}  // namespace

LambdaResult<LambdaAnswer> get_function(const LambdaCall& call) {
  const auto function = find_named(call);
  if (!function) return tl::unexpected(function.error());
  LambdaAnswer answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("Configuration");
  write_configuration(json, call, **function);
  json.end_object();
  return answer;
}

LambdaResult<LambdaAnswer> get_function_configuration(const LambdaCall& call) {
  const auto function = find_named(call);
  if (!function) return tl::unexpected(function.error());
  LambdaAnswer answer;
  JsonWriter json(answer.body);
  write_configuration(json, call, **function);
  return answer;
}

// The marker is the name of the last function of the page.
LambdaResult<LambdaAnswer> list_functions(const LambdaCall& call) {
  const auto items_max = read_max_items(call, kFunctionsInPage);
  if (!items_max) return tl::unexpected(items_max.error());
  const auto named = call.parts.functions.named();
  auto at = named.begin();
  if (const auto marker = call.parameter("Marker"); marker && !marker->empty()) {
    at = std::find_if(named.begin(), named.end(),
                      [&](const FunctionTarget& function) { return function.name == *marker; });
    if (at == named.end()) return invalid_value("Invalid Marker");
    ++at;
  }
  const auto left = static_cast<std::size_t>(named.end() - at);
  const auto end = at + static_cast<std::ptrdiff_t>(std::min(left, *items_max));
  LambdaAnswer answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key("Functions");
  json.begin_array();
  for (auto function = at; function != end; ++function) write_configuration(json, call, *function);
  json.end_array();
  if (end != named.end()) json.member("NextMarker", (end - 1)->name);
  json.end_object();
  return answer;
}

}  // namespace stator::triggers

#include "engine/operations/request_members.h"

#include <algorithm>
#include <string>

#include "protocol/errors/rule.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

bool has_any(const JsonNode& body, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return body.find(name) != nullptr; });
}

std::string present_names(const JsonNode& body, std::initializer_list<std::string_view> names) {
  std::string list;
  for (const std::string_view name : names) {
    if (body.find(name) == nullptr) continue;
    if (!list.empty()) list += ", ";
    list += name;
  }
  return list;
}

}  // namespace

Result<void> check_not_mixed(const JsonNode& body, std::initializer_list<std::string_view> legacy,
                             std::initializer_list<std::string_view> expressions, Wording wording) {
  if (!has_any(body, legacy) || !has_any(body, expressions)) return {};
  const std::string before_expressions = "{" + present_names(body, legacy) + "}";
  const std::string of_expressions = "{" + present_names(body, expressions) + "}";
  return wording.enveloped(
      Error::validation("Can not use both expression and non-expression parameters in the same "
                        "request: Non-expression parameters: " +
                        before_expressions + " Expression parameters: " + of_expressions)
          .with_rule(Rule::OneLanguage, {before_expressions, of_expressions}));
}

ReturnConsumedCapacity parse_return_consumed_capacity(const JsonNode& body) {
  const auto text = string_member(body, "ReturnConsumedCapacity");
  if (!text || *text == "NONE") return ReturnConsumedCapacity::None;
  return *text == "TOTAL" ? ReturnConsumedCapacity::Total : ReturnConsumedCapacity::Indexes;
}

std::string_view to_text(ReturnConsumedCapacity value) {
  if (value == ReturnConsumedCapacity::None) return "NONE";
  return value == ReturnConsumedCapacity::Total ? "TOTAL" : "INDEXES";
}

}  // namespace stator

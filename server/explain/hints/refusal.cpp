#include "server/explain/hints/refusal.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "protocol/errors/rule.h"
#include "server/explain/hints/refusal_rules.h"

namespace stator {

namespace {

// Replaces "$1" in the text of a rule.
std::string replaced(std::string_view text, const RecentRequest& request) {
  std::string whole;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_value =
        text[i] == '$' && i + 1 < text.size() && text[i + 1] >= '1' && text[i + 1] <= '4';
    if (is_value) {
      whole += request.rule_value(static_cast<std::size_t>(text[++i] - '0'));
    } else {
      whole += text[i];
    }
  }
  return whole;
}

}  // namespace

Refusal read_refusal(const RecentRequest& request) {
  std::string place(request.text(RecentRequest::Part::Place));
  if (request.rule == Rule::None) {
    return {.rule = std::string(request.statement()),
            .attribute = std::move(place),
            .expected = {},
            .given = {}};
  }
  const RefusalRule& rule = refusal_rule(request.rule);
  const std::string attribute = replaced(rule.attribute, request);
  return {.rule = std::string(rule.text),
          .attribute = attribute.empty() ? place : attribute,
          .expected = replaced(rule.expected, request),
          .given = replaced(rule.given, request)};
}

}  // namespace stator

// explain(): what each statement has to do with a request.
#include <span>

#include "protocol/access/evaluation.h"
#include "protocol/access/statement_match.h"
#include "protocol/text/escaped_text.h"
#include "protocol/text/utf8.h"

namespace stator::access {
namespace {

// Of longer lists the rest is left out, and so is the rest of long values.
constexpr std::size_t kShownValues = 4;
constexpr std::size_t kShownBytes = 200;

void append_shown(std::string& out, std::string_view text) {
  // Values such as those of headers may be any bytes.
  const bool is_text = is_valid_utf8(text);
  const std::string_view shown =
      is_text ? utf8_prefix(text, kShownBytes) : text.substr(0, kShownBytes);
  out.append("\"");
  if (is_text) out.append(shown);
  if (!is_text) out.append(escaped_text(shown));
  out.append(text.size() > kShownBytes ? "…\"" : "\"");
}

// "a", "b", …
template <class Value, class TextOf>
void append_list(std::string& out, const std::vector<Value>& values, TextOf text_of) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out.append(", ");
    if (i == kShownValues) {
      out.append("…");
      return;
    }
    append_shown(out, text_of(values[i]));
  }
}

void append_values(std::string& out, const std::vector<std::string>& values) {
  append_list(out, values, [](const std::string& value) { return std::string_view(value); });
}

// What the request has for a key.
void append_key_state(std::string& out, const ContextKey* key) {
  if (key == nullptr) {
    out.append("the request does not have the key");
  } else if (key->is_unknowable) {
    out.append("the request's value cannot be known");
  } else if (key->values.empty()) {
    out.append("the request has an empty list");
  } else {
    out.append("the request has ");
    append_values(out, key->values);
  }
}

std::string condition_mismatch(const Condition& condition, const RequestContext& context) {
  std::string text = condition.operator_name;
  text.append(" ").append(condition.key).append(": ");
  const ContextKey* key = context.find(condition.key);
  append_key_state(text, key);
  const bool is_plain = condition.op.set == ConditionOperator::Set::None &&
                        condition.op.family != ConditionOperator::Family::Null;
  if (key != nullptr && key->is_multi_valued && is_plain) {
    text.append(", a list, which only ForAllValues and ForAnyValue compare");
    return text;
  }
  text.append("; the policy has ");
  append_values(text, condition.sources);
  std::string buffer;
  for (const ConditionValue& value : condition.values) {
    const auto* pattern = std::get_if<TextTemplate>(&value);
    if (pattern == nullptr || pattern->expand(context, buffer)) continue;
    text.append("; a variable has no value in ");
    append_shown(text, pattern->source());
    break;
  }
  return text;
}

// "Action: X is none of …", or for the opposite "NotAction: X is one of …".
std::string element_mismatch(std::string_view name, std::string_view actual, bool is_opposite) {
  std::string text = is_opposite ? "Not" : "";
  text.append(name).append(": ").append(actual);
  text.append(is_opposite ? " is one of " : " is none of ");
  return text;
}

std::string principal_mismatch(const Statement& statement, const Principal& principal) {
  std::string text = element_mismatch("Principal", principal.arn, statement.principals.is_opposite);
  append_list(text, statement.principals.patterns, [](const PrincipalPattern& pattern) {
    const bool is_everybody = pattern.type == PrincipalPattern::Type::Everybody;
    return is_everybody ? std::string_view("*") : std::string_view(pattern.text);
  });
  return text;
}

std::string mismatch_text(const StatementMatch& match, const Statement& statement,
                          const MatchInput& input) {
  using Part = StatementMatch::Part;
  std::string text;
  switch (match.mismatch) {
    case Part::None:
      break;
    case Part::Action:
      text = element_mismatch("Action", input.request.action, statement.actions.is_opposite);
      append_list(text, statement.actions.patterns,
                  [](const ActionPattern& one) { return std::string_view(one.source); });
      break;
    case Part::Resource:
      text = element_mismatch("Resource", input.request.resource, statement.resources.is_opposite);
      append_list(text, statement.resources.patterns,
                  [](const TextTemplate& one) { return one.source(); });
      break;
    case Part::Principal:
      text = principal_mismatch(statement, input.principal);
      break;
    case Part::Condition:
      text = condition_mismatch(*match.condition, input.request.context);
      break;
  }
  return text;
}

void report(PolicyType type, std::span<const Policy* const> policies, const MatchInput& input,
            std::vector<StatementReport>& reports) {
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const auto& statements = policies[i]->compiled().statements;
    for (std::size_t k = 0; k < statements.size(); ++k) {
      const StatementMatch match = match_statement(statements[k], input);
      reports.push_back({type, i, k, statements[k].sid, statements[k].is_deny, match.applies(),
                         mismatch_text(match, statements[k], input)});
    }
  }
}

}  // namespace

Explanation explain(const Principal& principal, const Policies& policies,
                    const AccessRequest& request) {
  Explanation explanation{evaluate(principal, policies, request), {}};
  const MatchInput input(principal, policies, request);
  report(PolicyType::Resource, policies.resource, input, explanation.statements);
  report(PolicyType::Identity, policies.identity, input, explanation.statements);
  report(PolicyType::Boundary, policies.boundary, input, explanation.statements);
  report(PolicyType::Session, policies.session, input, explanation.statements);
  return explanation;
}

}  // namespace stator::access

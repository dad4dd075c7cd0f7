#include "protocol/access/statement_reader.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "protocol/access/language/names.h"
#include "protocol/access/language/wildcard.h"
#include "protocol/policy/policy_names.h"

namespace stator::access {
namespace {

using Kind = JsonNode::Kind;
using Fault = std::optional<StatementFault>;

constexpr std::array<std::string_view, 9> kMembers{"Sid",          "Effect",      "Principal",
                                                   "NotPrincipal", "Action",      "NotAction",
                                                   "Resource",     "NotResource", "Condition"};
constexpr std::array<std::string_view, 4> kPrincipalTypes{"AWS", "Service", "Federated",
                                                          "CanonicalUser"};

StatementFault fault_at(std::string_view place, std::string_view text) {
  return {std::string(text), std::string(place)};
}

std::string quoted(std::string_view text, std::string_view rest) {
  return std::string("\"").append(text).append("\" ").append(rest);
}

bool is_string(const JsonNode& node) { return node.kind() == Kind::String; }

// A string or a list of strings, not empty.
bool has_strings(const JsonNode& node) {
  const auto values = values_in(node);
  return !values.empty() && std::all_of(values.begin(), values.end(), is_string);
}

// An element or its opposite, as the document has it.
struct FoundElement {
  const JsonNode* node = nullptr;
  std::string name;
  bool is_opposite = false;
};

tl::expected<FoundElement, StatementFault> find_element(const JsonNode& statement,
                                                        std::string_view name) {
  const std::string opposite = std::string("Not").append(name);
  const JsonNode* node = statement.find(name);
  const JsonNode* other = statement.find(opposite);
  if (node != nullptr && other != nullptr)
    return tl::unexpected(fault_at(opposite, std::string("stands next to ").append(name)));
  if (other != nullptr) return FoundElement{other, opposite, true};
  return FoundElement{node, std::string(name), false};
}

Fault read_actions(const FoundElement& element, Statement& statement) {
  if (!has_strings(*element.node))
    return fault_at(element.name, "must be a string or a list of strings");
  statement.actions.is_opposite = element.is_opposite;
  for (const JsonNode& value : values_in(*element.node)) {
    const std::string_view text = value.text();
    if (text != "*" && text.find(':') == std::string_view::npos)
      return fault_at(element.name, quoted(text, "has no prefix such as dynamodb:"));
    const std::string lower = folded(text);
    const TextTemplate pattern(lower, {true, false});
    statement.actions.patterns.push_back({std::string(pattern.head()), std::string(text)});
  }
  return std::nullopt;
}

Fault read_resources(const FoundElement& element, const StatementRules& rules,
                     Statement& statement) {
  if (!has_strings(*element.node))
    return fault_at(element.name, "must be a string or a list of strings");
  statement.resources.is_opposite = element.is_opposite;
  for (const JsonNode& value : values_in(*element.node)) {
    const std::string_view text = value.text();
    TextTemplate pattern(text, {true, rules.has_variables});
    const bool is_everything = text == "*";
    // Variables are of the last part alone, so the text before the first has all the others.
    if (!is_everything && !split_arn(pattern.head()).is_whole()) {
      const bool is_arn = split_arn(text).is_whole();
      return fault_at(element.name,
                      quoted(text, is_arn ? "has a variable before the last part of the ARN"
                                          : "is neither an ARN nor \"*\""));
    }
    if (!is_everything && !text.starts_with("arn:"))
      return fault_at(element.name, quoted(text, "is neither an ARN nor \"*\""));
    statement.resources.patterns.push_back(std::move(pattern));
  }
  return std::nullopt;
}

Fault read_principals(const FoundElement& element, Statement& statement) {
  const JsonNode& node = *element.node;
  auto& patterns = statement.principals.patterns;
  statement.principals.is_opposite = element.is_opposite;
  if (is_string(node) && node.text() == "*") {
    patterns.push_back(principal_pattern("AWS", "*"));
    return std::nullopt;
  }
  if (node.kind() != Kind::Object || node.members().empty())
    return fault_at(element.name, "must be \"*\" or an object such as {\"AWS\": …}");
  if (const auto twice = repeated_member(node))
    return fault_at(element.name, quoted(*twice, "is there twice"));
  for (const JsonMember& type : node.members()) {
    const bool is_known = std::find(kPrincipalTypes.begin(), kPrincipalTypes.end(), type.name) !=
                          kPrincipalTypes.end();
    if (!is_known) return fault_at(element.name, quoted(type.name, "is no type of principals"));
    if (!has_strings(type.value))
      return fault_at(element.name, quoted(type.name, "must have a string or a list of strings"));
    for (const JsonNode& one : values_in(type.value)) {
      if (!is_policy_principal(type.name, one.text()))
        return fault_at(element.name, quoted(one.text(), "is no principal"));
      patterns.push_back(principal_pattern(type.name, one.text()));
    }
  }
  return std::nullopt;
}

Fault read_sid_and_effect(const JsonNode& node, Statement& statement) {
  if (const JsonNode* sid = node.find("Sid")) {
    if (!is_string(*sid)) return fault_at("Sid", "must be a string");
    statement.sid = sid->text();
  }
  const JsonNode* effect = node.find("Effect");
  if (effect == nullptr) return fault_at("Effect", "is missing");
  statement.is_deny = effect->text() == "Deny";
  if (!is_string(*effect) || (!statement.is_deny && effect->text() != "Allow"))
    return fault_at("Effect", "must be Allow or Deny");
  return std::nullopt;
}

// Whether a statement of this kind of document must have an element; else it may not.
bool has_element(PolicyKind kind, std::string_view name) {
  if (name == "Principal") return kind != PolicyKind::Identity;
  return name != "Resource" || kind != PolicyKind::Trust;
}

Fault read_elements(const JsonNode& node, const StatementRules& rules, Statement& statement) {
  for (const std::string_view name : {"Principal", "Action", "Resource"}) {
    const auto element = find_element(node, name);
    if (!element) return element.error();
    const bool is_there = element->node != nullptr;
    if (is_there != has_element(rules.kind, name))
      return fault_at(element->name,
                      is_there ? "has no place in this kind of policy" : "is missing");
    if (!is_there) continue;
    Fault fault = name == "Principal" ? read_principals(*element, statement)
                  : name == "Action"  ? read_actions(*element, statement)
                                      : read_resources(*element, rules, statement);
    if (fault) return fault;
  }
  return std::nullopt;
}

}  // namespace

std::span<const JsonNode> values_in(const JsonNode& node) {
  return node.kind() == Kind::Array ? node.elements() : std::span(&node, 1);
}

std::optional<std::string_view> repeated_member(const JsonNode& object) {
  std::set<std::string_view> names;
  for (const JsonMember& member : object.members()) {
    if (!names.insert(member.name).second) return member.name;
  }
  return std::nullopt;
}

tl::expected<Statement, StatementFault> read_statement(const JsonNode& node,
                                                       const StatementRules& rules) {
  if (node.kind() != Kind::Object) return tl::unexpected(fault_at({}, "must be an object"));
  if (const auto twice = repeated_member(node))
    return tl::unexpected(fault_at(*twice, "is there twice"));
  for (const JsonMember& member : node.members()) {
    if (std::find(kMembers.begin(), kMembers.end(), member.name) == kMembers.end())
      return tl::unexpected(fault_at(member.name, "is no element of a statement"));
    if (member.value.is_null()) return tl::unexpected(fault_at(member.name, "must not be null"));
  }
  Statement statement;
  if (auto fault = read_sid_and_effect(node, statement)) return tl::unexpected(*std::move(fault));
  if (auto fault = read_elements(node, rules, statement)) return tl::unexpected(*std::move(fault));
  if (const JsonNode* conditions = node.find("Condition")) {
    if (auto fault = read_conditions(*conditions, rules, statement))
      return tl::unexpected(*std::move(fault));
  }
  return statement;
}

}  // namespace stator::access

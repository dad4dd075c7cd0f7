// The introduction of a message says where something is wrong, the rest which rule is meant.
#include "server/explain/refusal.h"

#include <array>
#include <cctype>
#include <optional>

#include "server/explain/refusal_rules.h"

namespace stator {

namespace {

constexpr std::size_t kHolesMax = 4;
constexpr std::string_view kHole = "{}";

// What the holes of a text stand for.
struct Filled {
  std::array<std::string_view, kHolesMax> holes;
  std::size_t count = 0;
};

std::optional<Filled> fill(std::string_view text, std::string_view message) {
  Filled filled;
  std::size_t hole = text.find(kHole);
  if (message.substr(0, hole) != text.substr(0, hole)) return std::nullopt;
  if (hole == std::string_view::npos) return filled;
  message.remove_prefix(hole);
  while (true) {
    text.remove_prefix(hole + kHole.size());
    hole = text.find(kHole);
    const std::string_view literal = text.substr(0, hole);
    const bool is_last = hole == std::string_view::npos;
    std::size_t end = message.find(literal);
    if (is_last && message.ends_with(literal)) end = message.size() - literal.size();
    if (end == std::string_view::npos || filled.count == kHolesMax) return std::nullopt;
    filled.holes[filled.count++] = message.substr(0, end);
    message.remove_prefix(end + literal.size());
    if (is_last) return message.empty() ? std::optional(filled) : std::nullopt;
  }
}

// A text of a rule, "$1" replaced.
std::string replaced(std::string_view text, const Filled& filled) {
  std::string whole;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_hole =
        text[i] == '$' && i + 1 < text.size() && text[i + 1] >= '1' && text[i + 1] <= '4';
    if (!is_hole) {
      whole += text[i];
      continue;
    }
    std::string_view part = filled.holes[static_cast<std::size_t>(text[++i] - '1')];
    if (part.starts_with(": ")) part.remove_prefix(2);
    if (part.starts_with(" ")) part.remove_prefix(1);
    whole += part;
  }
  return whole;
}

std::string expected_text(const RefusalRule& rule, const Filled& filled, bool is_update) {
  if (rule.expected == "types($1)") return std::string(operand_types(filled.holes[0]));
  if (rule.expected == "count($1)") return std::string(operand_count(filled.holes[0]));
  if (rule.expected == "functions()")
    return is_update ? "if_not_exists, list_append"
                     : "attribute_exists, attribute_not_exists, attribute_type, begins_with, "
                       "contains, size";
  return replaced(rule.expected, filled);
}

bool drop(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

// "2 validation errors detected: "
void drop_count(std::string_view& message) {
  constexpr std::string_view kDetected = " detected: ";
  if (message.empty() || std::isdigit(static_cast<unsigned char>(message.front())) == 0) return;
  const std::size_t end = message.find(kDetected);
  if (end != std::string_view::npos && message.substr(0, end).find(" validation error") < 5)
    message.remove_prefix(end + kDetected.size());
}

// Takes introductions off, and returns what they name: a member of the request, or a placeholder.
std::string_view take_introductions(std::string_view& message) {
  std::string_view where;
  drop_count(message);
  constexpr std::string_view kInvalid = "Invalid ";
  const std::size_t colon = message.find(": ");
  const std::string_view first = message.substr(0, colon);
  if (colon != std::string_view::npos && first.starts_with(kInvalid) &&
      first.ends_with("Expression")) {
    where = first.substr(kInvalid.size());
    message.remove_prefix(colon + 2);
  } else if (drop(message, "Validation failed in ") && colon != std::string_view::npos) {
    where = message.substr(0, message.find(": "));
    message.remove_prefix(where.size() + 2);
  } else if (drop(message, "The provided starting key is invalid: ")) {
    where = "ExclusiveStartKey";
  } else if (drop(message, "ExpressionAttributeValues contains invalid value: ")) {
    const std::size_t key = message.rfind(" for key ");
    where = key == std::string_view::npos ? "ExpressionAttributeValues" : message.substr(key + 9);
    message = message.substr(0, key);
  }
  if (!drop(message, "One or more parameter values were invalid: "))
    drop(message, "One or more parameter values are not valid. ");
  return where;
}

}  // namespace

Refusal read_refusal(std::string_view message) {
  const std::string_view where = take_introductions(message);
  for (const RefusalRule& rule : refusal_rules()) {
    const auto filled = fill(rule.text, message);
    if (!filled) continue;
    const std::string attribute = replaced(rule.attribute, *filled);
    return {.rule = std::string(rule.rule),
            .attribute = attribute.empty() ? std::string(where) : attribute,
            .expected = expected_text(rule, *filled, where == "UpdateExpression"),
            .given = replaced(rule.given, *filled)};
  }
  return {
      .rule = std::string(message), .attribute = std::string(where), .expected = {}, .given = {}};
}

}  // namespace stator

#include "server/cli/mcp/tools/argument_check.h"

#include <algorithm>
#include <charconv>

#include "protocol/json/json_node_text.h"
#include "protocol/json/json_writer.h"
#include "protocol/text/utf8.h"
#include "server/data/transfer/json_text.h"

namespace stator::mcp {

namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kShownNameMax = 64;

bool is_of_type(Kind kind, std::string_view type) {
  if (type == "string") return kind == Kind::String;
  if (type == "integer") return kind == Kind::Integer;
  if (type == "number") return kind == Kind::Integer || kind == Kind::Decimal;
  if (type == "boolean") return kind == Kind::True || kind == Kind::False;
  if (type == "array") return kind == Kind::Array;
  return type == "object" && kind == Kind::Object;
}

// "string or number"
std::string types_text(const JsonNode& type) {
  if (type.kind() != Kind::Array) return std::string{type.text()};
  std::string text;
  for (const JsonNode& one : type.elements())
    text.append(text.empty() ? "" : " or ").append(one.text());
  return text;
}

bool fits_type(const JsonNode& type, const JsonNode& value) {
  if (type.kind() != Kind::Array) return is_of_type(value.kind(), type.text());
  const auto types = type.elements();
  return std::any_of(types.begin(), types.end(), [&value](const JsonNode& one) {
    return is_of_type(value.kind(), one.text());
  });
}

double number_of(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_in_range(const JsonNode& schema, const JsonNode& value) {
  const JsonNode* const minimum = schema.find("minimum");
  const JsonNode* const maximum = schema.find("maximum");
  const bool is_number = value.kind() == Kind::Integer || value.kind() == Kind::Decimal;
  if (!is_number) return true;
  const double number = number_of(value.text());
  return (minimum == nullptr || number >= number_of(minimum->text())) &&
         (maximum == nullptr || number <= number_of(maximum->text()));
}

std::optional<std::string> mistake_of_value(const JsonNode& schema, const JsonNode& value) {
  const JsonNode* const type = schema.find("type");
  if (type != nullptr && !fits_type(*type, value)) return "is no " + types_text(*type);
  if (!is_in_range(schema, value)) return "is too small or too large";
  const JsonNode* const most = schema.find("maxItems");
  if (most != nullptr && value.kind() == Kind::Array &&
      value.elements().size() > data::count_in(schema, "maxItems"))
    return "has more than " + std::string{most->text()} + " elements";
  const JsonNode* const words = schema.find("enum");
  if (words == nullptr) return std::nullopt;
  std::string listed;
  for (const JsonNode& word : words->elements()) {
    if (word.text() == value.text()) return std::nullopt;
    listed.append(listed.empty() ? "" : ", ").append(word.text());
  }
  return "is none of " + listed;
}

}  // namespace

std::optional<std::string> find_mistake(const JsonNode& schema, const JsonNode& arguments) {
  const JsonNode* const properties = schema.find("properties");
  if (properties == nullptr) return std::nullopt;
  for (const JsonMember& member : arguments.members()) {
    const std::string name{utf8_prefix(member.name, kShownNameMax)};
    const JsonNode* const expected = properties->find(member.name);
    if (expected == nullptr) return "there is no argument '" + name + "'";
    if (member.value.is_null()) continue;  // as if it were absent
    if (auto mistake = mistake_of_value(*expected, member.value)) return name + " " + *mistake;
  }
  const JsonNode* const needed = schema.find("required");
  if (needed == nullptr) return std::nullopt;
  for (const JsonNode& name : needed->elements())
    if (!arguments.has(name.text())) return std::string{name.text()} + " is missing";
  return std::nullopt;
}

std::optional<std::string> word_in(const JsonNode& object, std::string_view name) {
  const JsonNode* const member = object.find(name);
  if (member == nullptr) return std::nullopt;
  return std::string{member->text()};
}

std::string json_in(const JsonNode& object, std::string_view name) {
  const JsonNode* const member = object.find(name);
  return member == nullptr ? std::string{} : json_of(*member);
}

std::string json_of(const JsonNode& node) {
  std::string text;
  append_node_json(text, node);
  return text;
}

void append_text_member(std::string& out, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  out += ',';
  append_json_string(out, name);
  out += ':';
  append_json_string(out, text);
}

}  // namespace stator::mcp

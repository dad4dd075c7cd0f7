#include "server/access/advisor/advised_policy.h"

#include "protocol/json/json_writer.h"

namespace stator::access {

namespace {

void write_texts(JsonWriter& json, const Texts& texts) {
  json.begin_array();
  for (const std::string& text : texts) json.string(text);
  json.end_array();
}

}  // namespace

std::vector<ConditionLine> condition_lines(const AdvisedCondition& condition) {
  constexpr std::string_view kLeadingKeys = "dynamodb:LeadingKeys";
  std::vector<ConditionLine> lines;
  const auto add = [&lines](std::string_view test, std::string_view key, const Texts& values) {
    if (!values.empty()) lines.push_back({test, key, values});
  };
  const auto& keys = condition.leading_keys;
  if (keys && !keys->is_equal) add("ForAllValues:StringLike", kLeadingKeys, {keys->pattern});
  if (keys && keys->is_equal) add("ForAllValues:StringEquals", kLeadingKeys, {keys->pattern});
  add("ForAllValues:StringEquals", "dynamodb:Attributes", condition.attributes);
  // An action has one of these keys or none.
  add("StringEqualsIfExists", "dynamodb:Select", condition.selects);
  add("StringEqualsIfExists", "dynamodb:ReturnValues", condition.return_values);
  // Without this line the condition would also hold for calls without keys, such as a Scan.
  if (keys) lines.push_back({"Null", kLeadingKeys, {"false"}, /*is_list=*/false});
  add("ForAnyValue:StringEquals", "dynamodb:EnclosingOperation", condition.enclosing);
  return lines;
}

void write_condition(JsonWriter& json, const std::vector<ConditionLine>& lines) {
  std::string_view test;
  json.begin_object();
  for (const ConditionLine& line : lines) {
    if (line.test != test) {
      if (!test.empty()) json.end_object();
      test = line.test;
      json.key(test);
      json.begin_object();
    }
    json.key(line.key);
    if (line.is_list) {
      write_texts(json, line.values);
    } else {
      json.string(*line.values.begin());
    }
  }
  if (!test.empty()) json.end_object();
  json.end_object();
}

std::optional<std::string> policy_value(std::string_view text) {
  std::string value;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // U+0080 to U+00FF begin with one of two bytes.
    const bool is_latin = c == 0xC2 || c == 0xC3 || (c >= 0x80 && c < 0xC0);
    if (c < 0x20 || (c >= 0x7F && !is_latin)) return std::nullopt;
    value.append(text.substr(i).starts_with("${") ? "${$}" : text.substr(i, 1));
  }
  return value;
}

void write_document(JsonWriter& json, const AdvisedPolicy& policy) {
  json.begin_object();
  json.member("Version", "2012-10-17");
  json.key("Statement");
  json.begin_array();
  for (const AdvisedStatement& statement : policy.statements) {
    json.begin_object();
    json.member("Effect", "Allow");
    json.key("Action");
    write_texts(json, statement.actions);
    json.key("Resource");
    write_texts(json, statement.resources);
    const auto lines = condition_lines(statement.condition);
    if (!lines.empty()) {
      json.key("Condition");
      write_condition(json, lines);
    }
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace stator::access

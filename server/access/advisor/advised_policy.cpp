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
  if (condition.leading_keys) {
    lines.push_back(
        {condition.leading_keys->is_equal ? "ForAllValues:StringEquals" : "ForAllValues:StringLike",
         kLeadingKeys,
         {condition.leading_keys->pattern}});
    // Without this line the condition would also hold for calls without keys, such as a Scan.
    lines.push_back({"Null", kLeadingKeys, {"false"}, /*is_list=*/false});
  }
  if (!condition.enclosing.empty())
    lines.push_back(
        {"ForAnyValue:StringEquals", "dynamodb:EnclosingOperation", condition.enclosing});
  return lines;
}

void write_condition(JsonWriter& json, const std::vector<ConditionLine>& lines) {
  json.begin_object();
  for (const ConditionLine& line : lines) {
    json.key(line.test);
    json.begin_object();
    json.key(line.key);
    if (line.is_list) {
      write_texts(json, line.values);
    } else {
      json.string(*line.values.begin());
    }
    json.end_object();
  }
  json.end_object();
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

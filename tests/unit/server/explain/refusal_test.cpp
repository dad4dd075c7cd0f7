// server/explain/refusal.h: the rule behind the text of an error. Texts as they are answered are in
// tests/cases/validation-cases.json.
#include "server/explain/refusal.h"

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "protocol/arena.h"
#include "protocol/json_reader.h"
#include "server/explain/cut_json.h"

namespace stator {
namespace {

std::string told(std::string_view message) {
  const Refusal refusal = read_refusal(message);
  return refusal.attribute + " | " + refusal.expected + " | " + refusal.given;
}

TEST_CASE("refusal: what a message is about, what was expected and what was given", "[server]") {
  CHECK(
      told("One or more parameter values were invalid: Type mismatch for Index Key mail Expected: "
           "S Actual: N IndexName: by_mail") == "mail | S | N");
  CHECK(told("1 validation error detected: One or more parameter values were invalid: Missing the "
             "key pk in the item") == "pk |  | nothing");
  CHECK(told("Invalid UpdateExpression: Syntax error; token: \"<EOF>\", near: \"SET\"") ==
        "UpdateExpression | other words at this place | <EOF>, near SET");
  CHECK(told("Invalid ConditionExpression: Incorrect operand type for operator or function; "
             "operator or function: begins_with, operand type: N") ==
        "ConditionExpression | S or B | N for begins_with");
  CHECK(told("Invalid UpdateExpression: Incorrect operand type for operator or function; operator: "
             "ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND") ==
        "UpdateExpression | N or a set | STRING for ADD");
  CHECK(told("Invalid FilterExpression: Incorrect number of operands for operator or function; "
             "operator or function: attribute_exists, number of operands: 2") ==
        "FilterExpression | 1 | 2 for attribute_exists");
  CHECK(told("Value provided in ExpressionAttributeValues unused in expressions: keys: {:b}") ==
        "ExpressionAttributeValues | placeholders of the expressions | {:b} beside them");
  CHECK(told("1 validation error detected: Value 'x: y' at 'limit' failed to satisfy constraint: "
             "Member must have value greater than or equal to 1") ==
        "limit | Member must have value greater than or equal to 1 | x: y");
  CHECK(told("ExpressionAttributeValues contains invalid value: One or more parameter values were "
             "invalid: An string set  may not be empty for key :a") ==
        ":a | one or more, or no such attribute | an empty string set");
  CHECK(told("The provided starting key is invalid: The provided key element does not match the "
             "schema") == "ExclusiveStartKey |  | ");
  CHECK(told("Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; "
             "expression size: 4108") ==
        "ConditionExpression | at most 4096 bytes | expression size: 4108");
  CHECK(told("Too many items requested for the BatchWriteItem call") ==
        "RequestItems | at most 25 puts and deletes | more");
  // What is not known says itself.
  CHECK(read_refusal("Invalid FilterExpression: Something new").rule == "Something new");
  CHECK(told("Invalid FilterExpression: Something new") == "FilterExpression |  | ");
  CHECK(read_refusal("").rule.empty());
  for (const char* const odd : {"Invalid ", "Invalid Expression: ", "9", "1 validation error", ": ",
                                "Validation failed in ", "Validation failed in x",
                                "ExpressionAttributeValues contains invalid value: "})
    CHECK_NOTHROW(read_refusal(odd));
}

void collect_messages(const JsonNode& node, std::set<std::string>& messages) {
  if (node.kind() == JsonNode::Kind::Array) {
    for (const JsonNode& element : node.elements()) collect_messages(element, messages);
  } else if (node.kind() == JsonNode::Kind::Object) {
    for (const JsonMember& member : node.members()) {
      const bool is_message =
          member.name == "message" && member.value.kind() == JsonNode::Kind::String;
      // Those that begin with ^ are patterns.
      if (is_message && !member.value.text().empty() && member.value.text().front() != '^')
        messages.emplace(member.value.text());
      collect_messages(member.value, messages);
    }
  }
}

TEST_CASE("refusal: most texts of the case file have a rule that says more", "[server]") {
  std::ifstream file(STATOR_SOURCE_DIR "/tests/cases/validation-cases.json", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  Arena arena;
  const auto cases = read_json(text, arena);
  REQUIRE(cases);
  std::set<std::string> messages;
  collect_messages(*cases, messages);
  REQUIRE(messages.size() > 400);
  std::set<std::string> unknown;
  for (const std::string& message : messages) {
    const Refusal refusal = read_refusal(message);
    if (message.ends_with(refusal.rule)) unknown.insert(message);
  }
  std::string list;
  for (const std::string& message : unknown) list += "\n" + message;
  INFO(unknown.size() << " of " << messages.size() << list);
  CHECK(unknown.size() * 4 < messages.size());
}

TEST_CASE("cut json: what is whole stays, what is open is closed", "[server]") {
  CHECK(closed_json("") == "");
  CHECK(closed_json(R"({"a":1})") == R"({"a":1})");
  CHECK(closed_json(R"({"a":{"b":[1,2,{"c":"x}]"},"d)") == R"({"a":{"b":[1,2,{"c":"x}]"}]}})");
  CHECK(closed_json(R"({"a":"b\"},","c":"cut)") == R"({"a":"b\"},"})");
  CHECK(closed_json(R"({"a":"cut)") == "{}");
  CHECK(closed_json(R"([[1],[2)") == "[[1],[]]");
  CHECK(closed_json("}]x") == "");
  const std::string whole = R"({"T":"t","I":{"pk":{"S":"a\\"},"l":[{"N":"1"},null,true]},"x":[]})";
  for (std::size_t size = 1; size <= whole.size(); ++size) {
    std::string text = closed_json(std::string_view(whole).substr(0, size));
    Arena arena;
    INFO(text);
    CHECK(read_json(text, arena));
  }
}

}  // namespace
}  // namespace stator

// The recorded cases about expressions and placeholders that need no table, run against the
// expression layer alone, in both wordings.
#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/evaluation/key_condition.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/expression/resolution/placeholders.h"
#include "protocol/expression/syntax/cache.h"
#include "protocol/expression/updates/update.h"
#include "protocol/json/json_reader.h"
#include "tests/cases/source_folder.h"

namespace stator::expr {
namespace {

struct Operation {
  std::string_view name;
  Layer layer;
  // What the service says when values are given, but none of the expressions that may use them.
  std::string_view without_values;
  std::string_view condition_parameter;  // if there is one
};
constexpr std::array kOperations = {
    Operation{"PutItem", Layer::Enveloped, "ConditionExpression is null", "ConditionExpression"},
    Operation{"DeleteItem", Layer::Enveloped, "ConditionExpression is null", "ConditionExpression"},
    Operation{"UpdateItem", Layer::Enveloped, "UpdateExpression and ConditionExpression are null",
              "ConditionExpression"},
    Operation{"GetItem", Layer::Bare, "", ""},
    Operation{"Query", Layer::Bare, "FilterExpression and KeyConditionExpression are null",
              "FilterExpression"},
    Operation{"Scan", Layer::Classic, "FilterExpression is null", "FilterExpression"},
};

const Operation* find_operation(std::string_view name) {
  for (const Operation& operation : kOperations) {
    if (operation.name == name) return &operation;
  }
  return nullptr;
}

// "${x*3}" stands for "xxx".
std::string expand(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!text.substr(i).starts_with("${")) {
      out.push_back(text[i]);
      continue;
    }
    const std::size_t end = text.find('}', i);
    const std::string_view macro = text.substr(i + 2, end - i - 2);
    REQUIRE(macro[1] == '*');
    out.append(std::stoul(std::string(macro.substr(2))), macro[0]);
    i = end;
  }
  return out;
}

std::string_view text_of(const JsonNode& object, std::string_view name) {
  const JsonNode* const node = object.find(name);
  return node == nullptr ? std::string_view{} : node->text();
}

Result<void> check_request(const JsonNode& request, const Operation& operation, Wording wording,
                           ExpressionCache* cache, Arena& arena) {
  const JsonNode* const update = request.find("UpdateExpression");
  const JsonNode* const condition =
      operation.condition_parameter.empty() ? nullptr : request.find(operation.condition_parameter);
  const JsonNode* const key_condition = request.find("KeyConditionExpression");
  const JsonNode* const projection = request.find("ProjectionExpression");
  const bool uses_values = update != nullptr || condition != nullptr || key_condition != nullptr;
  STATOR_CHECK(Placeholders::check_wanted(request, uses_values || projection != nullptr,
                                          uses_values ? "" : operation.without_values, wording));
  STATOR_TRY(Placeholders placeholders, Placeholders::read(request, wording, arena, cache));
  const auto text = [&](const JsonNode& node) {
    return arena.copy(std::string_view(expand(node.text())));
  };
  if (update != nullptr) {
    STATOR_TRY([[maybe_unused]] const Update* const tree,
               parse_update(text(*update), placeholders, wording, arena));
  }
  const Condition* keys = nullptr;
  if (key_condition != nullptr) {
    STATOR_TRY(keys, parse_key_condition(text(*key_condition), placeholders, wording, arena));
  }
  if (condition != nullptr) {
    STATOR_TRY([[maybe_unused]] const Condition* const tree,
               parse_condition(text(*condition), operation.condition_parameter, placeholders,
                               wording, arena));
  }
  if (projection != nullptr) {
    STATOR_TRY([[maybe_unused]] const Projection* const paths,
               parse_projection(text(*projection), placeholders, wording, arena));
  }
  STATOR_CHECK(placeholders.check_all_used(wording));
  if (keys == nullptr) return {};
  STATOR_TRY([[maybe_unused]] const auto conditions, read_key_conditions(*keys, wording, arena));
  return {};
}

bool is_about_expressions(std::string_view message) {
  if (message.starts_with(kOneValidationError)) message.remove_prefix(kOneValidationError.size());
  for (const char* start :
       {"Invalid UpdateExpression: ", "Invalid ConditionExpression: ",
        "Invalid KeyConditionExpression: ", "Invalid FilterExpression: ",
        "Invalid ProjectionExpression: ", "ExpressionAttribute", "Value provided in ",
        "KeyConditionExpressions ", "Invalid condition in ", "Invalid operator used in "}) {
    if (message.starts_with(start)) return true;
  }
  return false;
}

void check_message(const JsonNode& request, const Operation& operation, Profile profile,
                   std::string_view message) {
  // The second time from the cache.
  static ExpressionCache cache;
  for (int i = 0; i < 2; ++i) {
    Arena arena;
    Wording wording = Wording::of(profile, operation.layer);
    wording.omits_expression_size =
        wording.is_new() && (operation.name == "PutItem" || operation.name == "Query");
    const auto checked = check_request(request, operation, wording, &cache, arena);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code() == ErrorCode::Validation);
    CHECK(checked.error().message() == message);
  }
}

TEST_CASE("expression cases: every recorded refusal", "[protocol][expression]") {
  std::ifstream file(stator::test::source_path("tests/cases/validation-cases.json"),
                     std::ios::binary);
  std::string body{std::istreambuf_iterator<char>(file), {}};
  Arena arena;
  const auto document = read_json(body, arena);
  REQUIRE(document);
  std::size_t count = 0;
  for (const JsonNode& row : document->find("cases")->elements()) {
    const Operation* const operation = find_operation(text_of(row, "operation"));
    if (operation == nullptr) continue;
    CAPTURE(std::string(text_of(row, "id")));
    const JsonNode& request = *row.find("request");
    if (request.find("KeyConditions") != nullptr) continue;  // shares texts with expressions
    const std::string_view message = text_of(*row.find("expected"), "message");
    // Long names are not written out here.
    if (message.find("name is too large") != std::string_view::npos) continue;
    if (is_deeper_than(request, 125)) continue;  // the engine changes the wording
    const std::string_view profile = text_of(row, "profile");
    if (profile != "classic" && is_about_expressions(message)) {
      check_message(request, *operation, Profile::Current, message);
      ++count;
    }
    const std::string_view other = text_of(row, "classic_message");
    const std::string_view classic = other.empty() ? message : other;
    if (profile != "current" && is_about_expressions(classic)) {
      check_message(request, *operation, Profile::Classic, classic);
      ++count;
    }
  }
  CHECK(count >= 350);
}

}  // namespace
}  // namespace stator::expr

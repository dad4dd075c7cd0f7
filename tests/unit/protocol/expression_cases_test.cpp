// The recorded cases about conditions, filters, projections and placeholders, run against the
// expression layer alone, in both wordings.
#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "protocol/expression/condition.h"
#include "protocol/expression/placeholders.h"
#include "protocol/expression/projection.h"
#include "protocol/json_reader.h"

namespace stator::expr {
namespace {

struct Operation {
  std::string_view name;
  Layer layer;
  // The expression that may use values, if any.
  std::string_view condition_parameter;
};
constexpr std::array kOperations = {
    Operation{"PutItem", Layer::Enveloped, "ConditionExpression"},
    Operation{"DeleteItem", Layer::Enveloped, "ConditionExpression"},
    Operation{"GetItem", Layer::Bare, ""},
    Operation{"Scan", Layer::Classic, "FilterExpression"},
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
                           Arena& arena) {
  const JsonNode* const condition =
      operation.condition_parameter.empty() ? nullptr : request.find(operation.condition_parameter);
  const JsonNode* const projection = request.find("ProjectionExpression");
  const std::string missing =
      condition != nullptr ? "" : std::string(operation.condition_parameter).append(" is null");
  STATOR_CHECK(Placeholders::check_wanted(request, condition != nullptr || projection != nullptr,
                                          missing, wording));
  STATOR_TRY(Placeholders placeholders, Placeholders::read(request, wording, arena));
  if (condition != nullptr) {
    const std::string_view text = arena.copy(std::string_view(expand(condition->text())));
    STATOR_TRY([[maybe_unused]] const Condition* const tree,
               parse_condition(text, operation.condition_parameter, placeholders, wording, arena));
  }
  if (projection != nullptr) {
    STATOR_TRY([[maybe_unused]] const Projection* const paths,
               parse_projection(projection->text(), placeholders, wording, arena));
  }
  return placeholders.check_all_used(wording);
}

bool is_about_expressions(std::string_view message) {
  if (message.starts_with(kOneValidationError)) message.remove_prefix(kOneValidationError.size());
  for (const char* start :
       {"Invalid ConditionExpression: ", "Invalid FilterExpression: ",
        "Invalid ProjectionExpression: ", "ExpressionAttribute", "Value provided in "}) {
    if (message.starts_with(start)) return true;
  }
  return false;
}

void check_message(const JsonNode& request, const Operation& operation, Profile profile,
                   std::string_view message) {
  Arena arena;
  const auto checked =
      check_request(request, operation, Wording::of(profile, operation.layer), arena);
  REQUIRE_FALSE(checked);
  CHECK(checked.error().code() == ErrorCode::Validation);
  CHECK(checked.error().message() == message);
}

TEST_CASE("expression cases: every recorded refusal", "[protocol][expression]") {
  std::ifstream file(STATOR_SOURCE_DIR "/tests/cases/validation-cases.json", std::ios::binary);
  std::string body{std::istreambuf_iterator<char>(file), {}};
  Arena arena;
  const auto document = read_json(body, arena);
  REQUIRE(document);
  std::size_t count = 0;
  for (const JsonNode& row : document->find("cases")->elements()) {
    const Operation* const operation = find_operation(text_of(row, "operation"));
    const std::string_view message = text_of(*row.find("expected"), "message");
    if (operation == nullptr || !is_about_expressions(message)) continue;
    CAPTURE(std::string(text_of(row, "id")));
    const JsonNode& request = *row.find("request");
    const std::string_view profile = text_of(row, "profile");
    const std::string_view classic = text_of(row, "classic_message");
    if (profile != "classic") check_message(request, *operation, Profile::Current, message);
    if (profile != "current") {
      check_message(request, *operation, Profile::Classic, classic.empty() ? message : classic);
    }
    ++count;
  }
  CHECK(count >= 80);
}

}  // namespace
}  // namespace stator::expr

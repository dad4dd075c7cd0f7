// Any text as a key condition, in both wordings. What is refused is refused with a message; what is
// accepted prints as text that parses, prints and reads the same, and selects the same items as the
// expression does when it is evaluated as a condition.
#include "protocol/expression/evaluation/key_condition.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/syntax/printer.h"
#include "tests/fuzz/expression_fixture.h"

namespace stator::expr {
namespace {

constexpr std::string_view kBody = R"({
  "ExpressionAttributeNames": {"#a": "a", "#b": "b", "#n": "name", "#d": "x.y"},
  "ExpressionAttributeValues": {
    ":s": {"S": "te"}, ":u": {"S": "tf"}, ":n": {"N": "2"}, ":m": {"N": "10"}, ":b": {"B": "AQI="},
    ":t": {"BOOL": true}, ":z": {"NULL": true}, ":l": {"L": [{"S": "x"}]}, ":ss": {"SS": ["x"]}}})";
constexpr std::string_view kItem = R"({
  "a": {"S": "text"}, "b": {"N": "2"}, "c": {"B": "AQID"}, "d": {"BOOL": true}, "name": {"S": "te"},
  "x.y": {"B": "AQI="}})";

bool is_met(const KeyCondition& condition, Item item) {
  using Operator = KeyCondition::Operator;
  const Value* const value = find_attribute(item, condition.attribute);
  if (value == nullptr) return false;
  if (condition.op == Operator::Equal) return *value == condition.lower;
  require(is_key_type(condition.lower.type()));
  if (value->type() != condition.lower.type()) return false;
  const int order = value->bytes().compare(condition.lower.bytes());
  switch (condition.op) {
    case Operator::Less:
      return order < 0;
    case Operator::LessEqual:
      return order <= 0;
    case Operator::Greater:
      return order > 0;
    case Operator::GreaterEqual:
      return order >= 0;
    case Operator::Between:
      require(condition.upper.type() == condition.lower.type());
      require(condition.lower.bytes() <= condition.upper.bytes());
      return order >= 0 && value->bytes() <= condition.upper.bytes();
    case Operator::BeginsWith:
      require(condition.lower.type() != Type::N);
      return value->bytes().starts_with(condition.lower.bytes());
    case Operator::Equal:
    case Operator::Other:
      break;
  }
  std::abort();
}

void check_text(std::string_view text, Wording wording) {
  static Fixture fixture(kBody, kItem);
  Placeholders& placeholders = fixture.placeholders;
  const Item item = fixture.item;
  Arena arena;
  const auto parsed = parse_key_condition(text, placeholders, wording, arena);
  if (!parsed) {
    require(parsed.error().code() == ErrorCode::Validation);
    require(parsed.error().message().starts_with("Invalid KeyConditionExpression: "));
    return;
  }
  std::string printed;
  append_condition(printed, **parsed);
  const auto conditions = read_key_conditions(**parsed, wording, arena);
  if (!conditions) {
    require(conditions.error().code() == ErrorCode::Validation);
    require(conditions.error().message().starts_with("Invalid KeyConditionExpression: ") ==
            wording.is_new());
    return;
  }
  require(!conditions->empty());
  bool are_met = true;
  for (const KeyCondition& condition : *conditions) are_met &= is_met(condition, item);
  require(matches(**parsed, item) == are_met);

  if (printed.size() > kExpressionBytesMax) return;
  const auto again = parse_key_condition(printed, placeholders, wording, arena);
  require(again.has_value());
  std::string printed_again;
  append_condition(printed_again, **again);
  require(printed_again == printed);
  const auto same = read_key_conditions(**again, wording, arena);
  require(same.has_value() && same->size() == conditions->size());
}

}  // namespace
}  // namespace stator::expr

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using stator::Layer;
  using stator::Profile;
  using stator::Wording;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  stator::expr::check_text(text, Wording::of(Profile::Current, Layer::Bare));
  stator::expr::check_text(text, Wording::of(Profile::Classic, Layer::Bare));
  return 0;
}

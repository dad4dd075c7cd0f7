// Any text as a condition. What is refused is refused with a message; what is accepted prints as
// text that parses and prints the same, and means the same for a fixed item, also from the cache.
#include <cstdint>
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
    ":s": {"S": "te"}, ":n": {"N": "2"}, ":m": {"N": "10"}, ":b": {"B": "AQI="},
    ":t": {"BOOL": true}, ":z": {"NULL": true}, ":l": {"L": [{"S": "x"}]}, ":S": {"S": "S"},
    ":o": {"M": {"k": {"S": "x"}}}, ":ss": {"SS": ["x"]}, ":ns": {"NS": ["1", "2"]}}})";
constexpr std::string_view kItem = R"({
  "a": {"S": "text"}, "b": {"N": "2"}, "c": {"M": {"k": {"S": "x"}, "l": {"L": [{"N": "10"}]}}},
  "d": {"L": [{"S": "x"}, {"M": {"e": {"B": "AQID"}}}]}, "f": {"SS": ["x", "y"]},
  "g": {"NS": ["1", "2"]}, "h": {"BOOL": true}, "i": {"NULL": true}, "name": {"S": "te"},
  "x.y": {"B": "AQI="}})";

void check_text(std::string_view text) {
  static ExpressionCache cache;
  static Fixture fixture(kBody, kItem, &cache);
  Placeholders& placeholders = fixture.placeholders;
  const Item item = fixture.item;
  Arena arena;
  const auto parsed = parse_condition(text, "ConditionExpression", placeholders, Wording{}, arena);
  if (!parsed) {
    require(parsed.error().code() == ErrorCode::Validation);
    require(parsed.error().message().starts_with("Invalid ConditionExpression: "));
    return;
  }
  const bool is_met = matches(**parsed, item);
  (void)matches(**parsed, Item{});

  std::string printed;
  append_condition(printed, **parsed);
  if (printed.size() > kExpressionBytesMax) return;
  const auto again =
      parse_condition(printed, "ConditionExpression", placeholders, Wording{}, arena);
  require(again.has_value());
  require(matches(**again, item) == is_met);
  std::string printed_again;
  append_condition(printed_again, **again);
  require(printed_again == printed);
  const auto cached =
      parse_condition(printed, "ConditionExpression", placeholders, Wording{}, arena);
  require(cached.has_value());
  require(matches(**cached, item) == is_met);
}

}  // namespace
}  // namespace stator::expr

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stator::expr::check_text({reinterpret_cast<const char*>(data), size});
  return 0;
}

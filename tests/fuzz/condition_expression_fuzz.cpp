// Any text as a condition. What is refused is refused with a message; what is accepted prints as
// text that parses and prints the same, and means the same for a fixed item, also from the cache.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "protocol/attribute_value.h"
#include "protocol/expression/cache.h"
#include "protocol/expression/condition.h"
#include "protocol/expression/placeholders.h"
#include "protocol/expression/printer.h"
#include "protocol/json_reader.h"

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

void require(bool condition) {
  if (!condition) std::abort();
}

JsonNode read(std::string& text, Arena& arena) {
  const auto node = read_json(text, arena);
  require(node.has_value());
  return *node;
}

// What every input is checked with, read once.
struct Fixture {
  Fixture() {
    auto read_placeholders = Placeholders::read(read(body_text, arena), Wording{}, arena, &cache);
    require(read_placeholders.has_value());
    placeholders = *read_placeholders;
    const auto read_item = decode_item(read(item_text, arena), Wording{}, arena);
    require(read_item.has_value());
    item = *read_item;
  }

  ExpressionCache cache;
  Arena arena;
  std::string body_text{kBody};
  std::string item_text{kItem};
  Placeholders placeholders;
  Item item;
};

void check_text(std::string_view text) {
  static Fixture fixture;
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

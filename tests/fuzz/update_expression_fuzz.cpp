// Any text as an update. What is refused is refused with a message; what is accepted prints as text
// that parses and prints the same and does the same to fixed items, also from the cache. What it
// makes of an item is an item: sorted, without empty sets, no deeper than allowed, the untouched
// attributes unchanged.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/expression/syntax/printer.h"
#include "protocol/expression/updates/update.h"
#include "protocol/service/limits.h"
#include "tests/fuzz/expression_fixture.h"

namespace stator::expr {
namespace {

constexpr std::string_view kBody = R"({
  "ExpressionAttributeNames": {"#a": "a", "#b": "b", "#n": "name", "#d": "x.y"},
  "ExpressionAttributeValues": {
    ":s": {"S": "te"}, ":n": {"N": "2"}, ":m": {"N": "-9.9e125"}, ":e": {"N": "1e-130"},
    ":t": {"BOOL": true}, ":z": {"NULL": true}, ":l": {"L": [{"S": "x"}, {"L": []}]},
    ":o": {"M": {"k": {"S": "x"}}}, ":ss": {"SS": ["x", "z"]}, ":ns": {"NS": ["1", "2"]},
    ":bs": {"BS": ["AQI="]}}})";
constexpr std::string_view kItem = R"({
  "a": {"N": "7"}, "b": {"N": "9.9e125"}, "c": {"M": {"k": {"S": "x"}, "l": {"L": [{"N": "10"}]}}},
  "d": {"L": [{"S": "x"}, {"M": {"e": {"B": "AQID"}}}, {"N": "1"}]}, "f": {"SS": ["x", "y"]},
  "g": {"NS": ["1", "2"]}, "h": {"BOOL": true}, "i": {"NULL": true}, "name": {"S": "te"},
  "x.y": {"BS": ["AQI="]}})";
constexpr std::string_view kKeyItem = R"({"pk": {"S": "p"}})";

// What an update made of a map or an item.
void check_members(std::span<const Member> members, std::size_t depth);

void check_value(const Value& value, std::size_t depth) {
  require(depth <= limits::kValueDepthMax);
  if (is_set(value.type())) {
    const auto elements = value.set_elements();
    require(!elements.empty());
    require(std::is_sorted(elements.begin(), elements.end()));
    require(std::adjacent_find(elements.begin(), elements.end()) == elements.end());
  } else if (value.type() == Type::L) {
    for (const Value& element : value.elements()) check_value(element, depth + 1);
  } else if (value.type() == Type::M) {
    check_members(value.members(), depth + 1);
  }
}

void check_members(std::span<const Member> members, std::size_t depth) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    require(i == 0 || members[i - 1].name < members[i].name);
    check_value(members[i].value, depth);
  }
}

bool is_target(const Update& update, std::string_view name) {
  return std::any_of(update.targets.begin(), update.targets.end(),
                     [&](Path target) { return target.front().name == name; });
}

// The item after the update as JSON, or the error's message.
std::string outcome(const Update& update, Item before, bool exists, Arena& arena) {
  const auto after = apply_update(update, before, exists, arena);
  if (!after) {
    require(after.error().code() == ErrorCode::Validation);
    return after.error().message();
  }
  check_members(*after, 1);
  for (const Member& member : before) {
    const Value* const now = find_attribute(*after, member.name);
    require(is_target(update, member.name) || (now != nullptr && *now == member.value));
  }
  for (const Member& member : *after) {
    require(is_target(update, member.name) || find_attribute(before, member.name) != nullptr);
  }
  for (const Member& member : targeted_part(update, *after, arena)) {
    require(is_target(update, member.name));
  }
  std::string json;
  append_item_json(json, *after);
  return json;
}

void check_text(std::string_view text) {
  static ExpressionCache cache;
  static Fixture fixture(kBody, kItem, &cache);
  const Item item = fixture.item;
  static std::string key_text(kKeyItem);
  static const Item key_item = fixture.read_item(key_text);
  Arena arena;
  const auto parsed = parse_update(text, fixture.placeholders, Wording{}, arena);
  if (!parsed) {
    require(parsed.error().code() == ErrorCode::Validation);
    require(parsed.error().message().starts_with("Invalid UpdateExpression: "));
    return;
  }
  const std::string updated = outcome(**parsed, item, true, arena);
  const std::string inserted = outcome(**parsed, key_item, false, arena);

  std::string printed;
  append_update(printed, **parsed);
  if (printed.size() > kExpressionBytesMax) return;
  const auto again = parse_update(printed, fixture.placeholders, Wording{}, arena);
  require(again.has_value());
  require(update_charge_bytes(**again, item) == update_charge_bytes(**parsed, item));
  require(outcome(**again, item, true, arena) == updated);
  require(outcome(**again, key_item, false, arena) == inserted);
  std::string printed_again;
  append_update(printed_again, **again);
  require(printed_again == printed);
  const auto cached = parse_update(printed, fixture.placeholders, Wording{}, arena);
  require(cached.has_value());
  require(outcome(**cached, item, true, arena) == updated);
}

}  // namespace
}  // namespace stator::expr

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stator::expr::check_text({reinterpret_cast<const char*>(data), size});
  return 0;
}

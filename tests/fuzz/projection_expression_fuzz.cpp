// Any text as a projection. What is accepted prints as text that parses and prints the same; what
// it selects of a fixed item is sorted and has what each path leads to.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "protocol/attribute_value.h"
#include "protocol/expression/paths.h"
#include "protocol/expression/placeholders.h"
#include "protocol/expression/printer.h"
#include "protocol/expression/projection.h"
#include "protocol/json_reader.h"

namespace stator::expr {
namespace {

constexpr std::string_view kBody =
    R"({"ExpressionAttributeNames": {"#a": "a", "#b": "b", "#n": "name", "#d": "x.y"}})";
constexpr std::string_view kItem = R"({
  "a": {"S": "text"}, "b": {"L": [{"L": [{"N": "1"}, {"N": "2"}]}, {"M": {"a": {"S": "x"}}}]},
  "c": {"M": {"b": {"M": {"a": {"L": [{"S": "x"}, {"S": "y"}]}}}, "name": {"S": "z"}}},
  "d": {"SS": ["x"]}, "name": {"M": {}}, "x.y": {"NULL": true}})";

void require(bool condition) {
  if (!condition) std::abort();
}

JsonNode read(std::string& text, Arena& arena) {
  const auto node = read_json(text, arena);
  require(node.has_value());
  return *node;
}

std::string print(const Projection& projection) {
  std::string out;
  for (const Path path : projection.paths) {
    if (!out.empty()) out.append(", ");
    append_path(out, path);
  }
  return out;
}

void check_selection(const Projection& projection, Item item, Arena& arena) {
  const Item part = project(projection, item, arena);
  for (std::size_t i = 1; i < part.size(); ++i) require(part[i - 1].name < part[i].name);
  std::size_t found = 0;
  for (const Path path : projection.paths) {
    const Value* const value = find_value_at(item, path);
    if (value == nullptr) continue;
    ++found;
    require(find_attribute(part, path.front().name) != nullptr);
    if (path.size() == 1) require(*find_attribute(part, path.front().name) == *value);
  }
  require(part.size() <= found);
}

// What every input is checked with, read once.
struct Fixture {
  Fixture() {
    auto read_placeholders = Placeholders::read(read(body_text, arena), Wording{}, arena);
    require(read_placeholders.has_value());
    placeholders = *read_placeholders;
    const auto read_item = decode_item(read(item_text, arena), Wording{}, arena);
    require(read_item.has_value());
    item = *read_item;
  }

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
  const auto parsed = parse_projection(text, placeholders, Wording{}, arena);
  if (!parsed) {
    require(parsed.error().code() == ErrorCode::Validation);
    require(parsed.error().message().starts_with("Invalid ProjectionExpression: "));
    return;
  }
  check_selection(**parsed, item, arena);
  require(project(**parsed, {}, arena).empty());

  const std::string printed = print(**parsed);
  if (printed.size() > kExpressionBytesMax) return;
  const auto again = parse_projection(printed, placeholders, Wording{}, arena);
  require(again.has_value());
  require(print(**again) == printed);
}

}  // namespace
}  // namespace stator::expr

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stator::expr::check_text({reinterpret_cast<const char*>(data), size});
  return 0;
}

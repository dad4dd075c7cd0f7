// Any text as a projection. What is accepted prints as text that parses and prints the same; what
// it selects of a fixed item is sorted and has what each path leads to.
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/expression/evaluation/projection.h"
#include "protocol/expression/resolution/paths.h"
#include "protocol/expression/syntax/printer.h"
#include "tests/fuzz/expression_fixture.h"

namespace stator::expr {
namespace {

constexpr std::string_view kBody =
    R"({"ExpressionAttributeNames": {"#a": "a", "#b": "b", "#n": "name", "#d": "x.y"}})";
constexpr std::string_view kItem = R"({
  "a": {"S": "text"}, "b": {"L": [{"L": [{"N": "1"}, {"N": "2"}]}, {"M": {"a": {"S": "x"}}}]},
  "c": {"M": {"b": {"M": {"a": {"L": [{"S": "x"}, {"S": "y"}]}}}, "name": {"S": "z"}}},
  "d": {"SS": ["x"]}, "name": {"M": {}}, "x.y": {"NULL": true}})";

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

void check_text(std::string_view text) {
  static Fixture fixture(kBody, kItem);
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

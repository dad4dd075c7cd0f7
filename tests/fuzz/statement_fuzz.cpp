// Any text as a PartiQL statement. What is refused is refused with a message; what is accepted
// prints as text that parses and prints the same, and comes to the same with parameters: the same
// error, the same truth about a fixed item, the same item after an update.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/expression/evaluation/condition.h"
#include "protocol/expression/updates/update.h"
#include "protocol/partiql/lowering.h"
#include "protocol/partiql/statement_parser.h"
#include "protocol/partiql/statement_printer.h"
#include "tests/fuzz/expression_fixture.h"

namespace stator::partiql {
namespace {

using expr::require;

constexpr std::string_view kItem = R"({
  "a": {"S": "text"}, "b": {"N": "2"}, "c": {"M": {"k": {"S": "x"}, "l": {"L": [{"N": "10"}]}}},
  "d": {"L": [{"S": "x"}, {"M": {"e": {"B": "AQID"}}}]}, "f": {"SS": ["x", "y"]},
  "g": {"NS": ["1", "2"]}, "h": {"BOOL": true}, "i": {"NULL": true}, "pk": {"S": "te"}})";

// What a statement comes to, as text.
std::string outcome(const Statement& statement, Item item, Arena& arena) {
  const std::string_view element = "x";
  const std::array parameters = {Value::string("text"), Value::boolean(true),
                                 Value::set(Type::SS, {&element, 1}), Value::null()};
  const auto lowered = lower(statement, parameters, arena);
  if (!lowered) {
    require(lowered.error().code() == ErrorCode::Validation);
    require(!lowered.error().message().empty());
    // Places in the text differ.
    return lowered.error().message().substr(0, 16);
  }
  std::string out = "ok";
  const Lowered& found = **lowered;
  if (found.where != nullptr) out.append(expr::matches(*found.where, item) ? " true" : " false");
  append_item_json(out, found.item);
  if (found.update != nullptr) {
    const auto after = expr::apply_update(*found.update, item, true, arena);
    if (after) append_item_json(out, *after);
  }
  return out;
}

// Chains of operators are read without nesting and printed with it, so what is printed may be
// nested too deep to be read.
bool is_nested_deep(std::string_view printed) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  for (const char c : printed) {
    if (c == '(') deepest = std::max(deepest, ++depth);
    if (c == ')' && depth > 0) --depth;
  }
  return deepest > kNestingMax / 4;
}

void check_text(std::string_view text) {
  static expr::Fixture fixture("{}", kItem);
  Arena arena;
  const auto parsed = parse_statement(text, arena);
  if (!parsed) {
    require(parsed.error().code() == ErrorCode::Validation);
    const std::string_view message = parsed.error().message();
    require(message.starts_with("Statement wasn't well formed, ") ||
            message == "Unsupported operation: IsType");
    return;
  }
  const std::string first = outcome(**parsed, fixture.item, arena);
  std::string printed;
  append_statement(printed, **parsed);
  const auto again = parse_statement(printed, arena);
  if (!again && is_nested_deep(printed)) return;
  require(again.has_value());
  std::string printed_again;
  append_statement(printed_again, **again);
  require(printed_again == printed);
  require(outcome(**again, fixture.item, arena) == first);
}

}  // namespace
}  // namespace stator::partiql

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8192) return 0;
  stator::partiql::check_text({reinterpret_cast<const char*>(data), size});
  return 0;
}

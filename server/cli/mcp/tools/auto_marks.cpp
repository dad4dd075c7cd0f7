#include "server/cli/mcp/tools/auto_marks.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

#include "server/data/transfer/json_text.h"

namespace stator::mcp {

namespace {

constexpr std::string_view kPrefix = "mcp-";
constexpr std::size_t kMarksMax = 3;

// The numbers of the marks that were set here, in ascending order.
std::vector<std::uint64_t> numbers_of(const JsonNode& answer) {
  std::vector<std::uint64_t> numbers;
  const JsonNode* const marks = answer.find("marks");
  if (marks == nullptr || marks->kind() != JsonNode::Kind::Array) return numbers;
  for (const JsonNode& mark : marks->elements()) {
    std::string_view name = data::text_in(mark, "name");
    if (!name.starts_with(kPrefix)) continue;
    name.remove_prefix(kPrefix.size());
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc{} && end == name.data() + name.size() && number < UINT64_MAX)
      numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string name_of(std::uint64_t number) { return std::string{kPrefix} + std::to_string(number); }

}  // namespace

tl::expected<std::string, ToolError> set_auto_mark(ToolContext& context) {
  if (!context.is_stator()) return std::string{};
  std::vector<std::uint64_t> numbers;
  auto asked = context.ask("/_stator/marks", {},
                           [&numbers](const JsonNode& answer) { numbers = numbers_of(answer); });
  if (!asked) return tl::unexpected(std::move(asked).error());
  const std::uint64_t next = numbers.empty() ? 1 : numbers.back() + 1;
  // First, because the server has a largest number of marks.
  for (std::size_t i = 0; i + kMarksMax <= numbers.size(); ++i) {
    const auto forgotten =
        context.ask_json("/_stator/marks/" + name_of(numbers[i]) + "/forget", "{}");
    if (!forgotten) return tl::unexpected(forgotten.error());
  }
  const auto set = context.ask_json("/_stator/marks/" + name_of(next), "{}");
  if (!set) return failed("nothing was done, because no mark can be set: " + set.error().text);
  return name_of(next);
}

}  // namespace stator::mcp

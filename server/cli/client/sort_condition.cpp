#include "server/cli/client/sort_condition.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "server/http/header_text.h"

namespace stator::client {

namespace {

struct Sign {
  std::string_view text;
  SortOperator op;
};

// Those that begin like another stand before it.
constexpr std::array<Sign, 5> kSigns = {{{">=", SortOperator::GreaterOrEqual},
                                         {"<=", SortOperator::LessOrEqual},
                                         {">", SortOperator::Greater},
                                         {"<", SortOperator::Less},
                                         {"=", SortOperator::Equal}}};

bool is_space(char c) { return c == ' ' || c == '\t'; }

// Removes a first word that equals `word`, which has no capital letters, in any case.
bool take_word(std::string_view& text, std::string_view word) {
  const bool is_followed = text.size() > word.size() && is_space(text[word.size()]);
  if (!is_followed || !equals_ignoring_case(text.substr(0, word.size()), word)) return false;
  text = trim_blanks(text.substr(word.size()));
  return true;
}

// Removes the first value: in quotes, or up to a space. Empty if there is none.
std::optional<std::string> take_value(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const char quote = text.front();
  if (quote == '\'' || quote == '"') {
    const std::size_t end = text.find(quote, 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value{text.substr(1, end - 1)};
    text = trim_blanks(text.substr(end + 1));
    return value;
  }
  const auto end =
      static_cast<std::size_t>(std::find_if(text.begin(), text.end(), is_space) - text.begin());
  std::string value{text.substr(0, end)};
  text = trim_blanks(text.substr(end));
  return value;
}

}  // namespace

tl::expected<SortCondition, std::string> read_sort_condition(std::string_view text) {
  std::string_view rest = trim_blanks(text);
  for (const Sign& sign : kSigns) {
    if (!rest.starts_with(sign.text)) continue;
    rest = trim_blanks(rest.substr(sign.text.size()));
    if (rest.empty()) break;
    return SortCondition{sign.op, std::string{rest}};
  }
  if (take_word(rest, "begins_with") && !rest.empty())
    return SortCondition{SortOperator::BeginsWith, std::string{rest}};
  if (take_word(rest, "between")) {
    auto lower = take_value(rest);
    take_word(rest, "and");
    auto upper = take_value(rest);
    if (lower && upper && rest.empty())
      return SortCondition{SortOperator::Between, *std::move(lower), *std::move(upper)};
    return tl::unexpected("'" + std::string{text} +
                          "' is not between A B; a value with spaces stands in quotes");
  }
  return tl::unexpected("'" + std::string{text} +
                        "' is not =, <, <=, >, >= or begins_with and a value, or between A B");
}

std::string sort_expression(const SortCondition& condition, std::string_view name) {
  const std::string attribute{name};
  if (condition.op == SortOperator::BeginsWith) return "begins_with(" + attribute + ", :s)";
  if (condition.op == SortOperator::Between) return attribute + " BETWEEN :s AND :t";
  const auto sign = std::find_if(kSigns.begin(), kSigns.end(),
                                 [&condition](const Sign& one) { return one.op == condition.op; });
  return attribute + " " + std::string{sign->text} + " :s";
}

}  // namespace stator::client

// The syntax of variables of a serverless.yml.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace stator::templates {

// Where the variable that opens before `start` closes: the position of its '}'. Variables inside it
// and quoted texts are skipped. npos if it does not close.
std::size_t variable_end(std::string_view text, std::size_t start);

// Whether the content of ${…} is a variable of Serverless: `type:`, `type(…)`, as in self:a.b. What
// Fn::Sub has is none.
bool is_variable(std::string_view content);

// The parts between commas that are not in quotes, brackets or inner variables, without blanks
// around them.
std::vector<std::string_view> variable_sources(std::string_view content);

// The text of a quoted default, 'dev'.
std::optional<std::string_view> quoted_default(std::string_view source);

struct VariableAddress {
  std::string_view type;
  std::string_view argument;  // in brackets
  std::string_view address;
};
// Empty if the source is none, such as a plain word.
std::optional<VariableAddress> variable_address(std::string_view source);

}  // namespace stator::templates

// A text of a policy, with its wildcards and variables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/access/language/wildcard.h"
#include "protocol/access/request_context.h"

namespace stator::access {

class TextTemplate {
 public:
  TextTemplate(std::string_view text, TextRules rules);

  // Whether the text is the same for all requests.
  bool is_fixed() const { return variables_.empty(); }
  // The text as a pattern (language/wildcard.h) with the values of the variables, whose wildcards
  // are literal. Valid as long as this template and `buffer`, unchanged. Empty if a variable has no
  // value: then nothing matches.
  std::optional<std::string_view> expand(const RequestContext& context, std::string& buffer) const;

  // As in the document.
  std::string_view source() const { return source_; }
  // The names of the variables.
  std::vector<std::string_view> variable_names() const;
  // The pattern's text before its first variable.
  std::string_view head() const;

 private:
  struct Variable {
    std::size_t offset;  // in pattern_, where the value goes
    std::string name;
    std::optional<std::string> fallback;
  };

  std::size_t read_variable(std::string_view text);
  static std::optional<std::string_view> value_of(const Variable& variable,
                                                  const RequestContext& context);

  std::string source_;
  std::string pattern_;  // without the variables
  std::vector<Variable> variables_;
};

}  // namespace stator::access

#include "protocol/access/text_template.h"

#include <utility>

namespace stator::access {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

}  // namespace

TextTemplate::TextTemplate(std::string_view text, TextRules rules) : source_(text) {
  while (!text.empty()) {
    if (rules.has_variables && text.starts_with("${")) {
      if (const std::size_t size = read_variable(text); size != 0) {
        text.remove_prefix(size);
        continue;
      }
    }
    const char c = text.front();
    const bool is_wildcard = rules.has_wildcards && (c == '*' || c == '?');
    pattern_.push_back(!is_wildcard ? c : c == '*' ? kAnyText : kAnyCharacter);
    text.remove_prefix(1);
  }
}

// Reads the variable that the text begins with; returns its length, or 0 if it is none.
std::size_t TextTemplate::read_variable(std::string_view text) {
  constexpr std::string_view kOpen = "${";
  const std::size_t end = text.find('}');
  if (end == std::string_view::npos) return 0;
  std::string_view inner = text.substr(kOpen.size(), end - kOpen.size());
  if (inner == "*" || inner == "?" || inner == "$") {
    pattern_.append(inner);
    return end + 1;
  }
  std::size_t size = end + 1;
  Variable variable{pattern_.size(), {}, {}};
  if (const std::size_t comma = inner.find(','); comma != std::string_view::npos) {
    // The default may have a brace, so its own quote ends it.
    const std::size_t quote = text.find_first_not_of(' ', kOpen.size() + comma + 1);
    if (quote == std::string_view::npos || text[quote] != '\'') return 0;
    const std::size_t close = text.find('\'', quote + 1);
    if (close == std::string_view::npos) return 0;
    const std::size_t brace = text.find_first_not_of(' ', close + 1);
    if (brace == std::string_view::npos || text[brace] != '}') return 0;
    variable.fallback = text.substr(quote + 1, close - quote - 1);
    inner = inner.substr(0, comma);
    size = brace + 1;
  }
  variable.name = trimmed(inner);
  if (variable.name.empty()) return 0;
  variables_.push_back(std::move(variable));
  return size;
}

std::optional<std::string_view> TextTemplate::value_of(const Variable& variable,
                                                       const RequestContext& context) {
  const ContextKey* key = context.find(variable.name);
  if (key == nullptr) {
    if (!variable.fallback) return std::nullopt;
    return std::string_view(*variable.fallback);
  }
  if (key->is_multi_valued || key->is_unknowable || key->values.size() != 1) return std::nullopt;
  // Such a text would count as a wildcard; it is no UTF-8 and equals nothing.
  if (has_wildcard_bytes(key->values.front())) return std::nullopt;
  return std::string_view(key->values.front());
}

std::optional<std::string_view> TextTemplate::expand(const RequestContext& context,
                                                     std::string& buffer) const {
  if (variables_.empty()) return std::string_view(pattern_);
  buffer.clear();
  std::size_t copied = 0;
  for (const Variable& variable : variables_) {
    buffer.append(pattern_, copied, variable.offset - copied);
    copied = variable.offset;
    const auto value = value_of(variable, context);
    if (!value) return std::nullopt;
    buffer.append(*value);
  }
  buffer.append(pattern_, copied);
  return std::string_view(buffer);
}

std::vector<std::string_view> TextTemplate::variable_names() const {
  std::vector<std::string_view> names;
  names.reserve(variables_.size());
  for (const Variable& variable : variables_) names.emplace_back(variable.name);
  return names;
}

std::string_view TextTemplate::head() const {
  const std::string_view pattern = pattern_;
  return variables_.empty() ? pattern : pattern.substr(0, variables_.front().offset);
}

}  // namespace stator::access

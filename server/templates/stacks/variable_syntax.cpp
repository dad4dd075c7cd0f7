#include "server/templates/stacks/variable_syntax.h"

#include <algorithm>

#include "server/templates/intrinsics/lists.h"

namespace stator::templates {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

bool is_type_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// The end of the type's name; 0 if there is none.
std::size_t type_end(std::string_view text) {
  if (text.empty() || text[0] < 'a' || text[0] > 'z') return 0;
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_type_letter) -
                                  text.begin());
}

}  // namespace

std::size_t variable_end(std::string_view text, std::size_t start) {
  std::size_t open = 1;
  char quote = 0;
  for (std::size_t at = start; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '$' && text.substr(at, 2) == "${") {
      ++open;
      ++at;
    } else if (c == '}' && --open == 0) {
      return at;
    }
  }
  return kNowhere;
}

bool is_variable(std::string_view content) {
  content = trim_blanks(content);
  const std::size_t end = type_end(content);
  if (end == 0 || end >= content.size()) return false;
  return content[end] == '(' || content[end] == ':';
}

std::vector<std::string_view> variable_sources(std::string_view content) {
  std::vector<std::string_view> sources;
  std::size_t start = 0;
  std::size_t open = 0;
  char quote = 0;
  for (std::size_t at = 0; at < content.size(); ++at) {
    const char c = content[at];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '{') {
      ++open;
    } else if ((c == ')' || c == '}') && open > 0) {
      --open;
    } else if (c == ',' && open == 0) {
      sources.push_back(trim_blanks(content.substr(start, at - start)));
      start = at + 1;
    }
  }
  sources.push_back(trim_blanks(content.substr(start)));
  return sources;
}

std::optional<std::string_view> quoted_default(std::string_view source) {
  if (source.size() < 2 || source.front() != source.back()) return std::nullopt;
  if (source.front() != '\'' && source.front() != '"') return std::nullopt;
  return source.substr(1, source.size() - 2);
}

std::optional<VariableAddress> variable_address(std::string_view source) {
  const std::size_t end = type_end(source);
  if (end == 0 || end >= source.size()) return std::nullopt;
  VariableAddress found;
  found.type = source.substr(0, end);
  std::string_view rest = source.substr(end);
  if (rest.front() == '(') {
    const std::size_t close = rest.rfind(')');
    if (close == kNowhere) return std::nullopt;
    found.argument = trim_blanks(rest.substr(1, close - 1));
    rest.remove_prefix(close + 1);
    if (rest.empty()) return found;
  }
  if (rest.front() != ':') return std::nullopt;
  found.address = trim_blanks(rest.substr(1));
  return found;
}

}  // namespace stator::templates

#include "server/templates/schema/indented_json.h"

#include <cstddef>

namespace stator::templates {

namespace {

constexpr std::size_t kSpacesPerLevel = 2;

void break_line(std::string& out, std::size_t level) {
  out += '\n';
  out.append(level * kSpacesPerLevel, ' ');
}

// The end of the string that begins at `start`, after its quote.
std::size_t end_of_string(std::string_view json, std::size_t start) {
  std::size_t at = start + 1;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return at + 1;
}

}  // namespace

std::string indented_json(std::string_view json) {
  std::string out;
  std::size_t level = 0;
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (c == '"') {
      const std::size_t end = end_of_string(json, at);
      out += json.substr(at, end - at);
      at = end;
      continue;
    }
    const bool is_open = c == '{' || c == '[';
    const bool is_close = c == '}' || c == ']';
    const char before = at == 0 ? ' ' : json[at - 1];
    if (is_close) {
      --level;
      if (before != '{' && before != '[') break_line(out, level);
    }
    out += c;
    const char next = at + 1 < json.size() ? json[at + 1] : ' ';
    if (is_open) ++level;
    if ((is_open && next != '}' && next != ']') || c == ',') break_line(out, level);
    if (c == ':') out += ' ';
    ++at;
  }
  out += '\n';
  return out;
}

}  // namespace stator::templates

#include "protocol/json/json_mistake.h"

#include <algorithm>

namespace stator {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

struct ForeignWord {
  std::string_view word;
  std::string_view meaning;
};

// Words of Python and JavaScript.
constexpr ForeignWord kForeignWords[] = {
    {"None", "is null in JSON"},     {"undefined", "is null in JSON"},
    {"True", "is true in JSON"},     {"False", "is false in JSON"},
    {"NaN", "is no number of JSON"}, {"Infinity", "is no number of JSON"}};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && (is_letter(text[end]) || (text[end] >= '0' && text[end] <= '9')))
    ++end;
  return text.substr(at, end - at);
}

char last_before(std::string_view text, std::size_t at) {
  const std::size_t found = text.substr(0, at).find_last_not_of(kBlanks);
  return found == std::string_view::npos ? '\0' : text[found];
}

}  // namespace

std::string json_mistake(std::string_view text, std::size_t error_at) {
  // The reader may give up within a word.
  std::size_t at = std::min(error_at, text.size());
  while (at > 0 && at < text.size() && is_letter(text[at]) && is_letter(text[at - 1])) --at;
  if (at < text.size() && text[at] == '-' && text.substr(at + 1).starts_with('I')) ++at;
  if (text.find_first_not_of(kBlanks, at) == std::string_view::npos) return "it ends too early";
  const char found = text[at];
  const std::string_view word = word_at(text, at);
  for (const ForeignWord& foreign : kForeignWords)
    if (word == foreign.word) return std::string(word).append(" ").append(foreign.meaning);
  if (found == '\'') return "texts and names are in double quotes";
  if (found == '/' || found == '#') return "JSON has no comments";
  if ((found == '}' || found == ']') && last_before(text, at) == ',')
    return std::string("no comma stands before ") + found;
  if (found == ',' && last_before(text, at) == ',') return "a comma is one too many";
  if (!word.empty() && is_letter(found))
    return std::string("'").append(word).append("' is not in double quotes");
  return {};
}

std::string json_place(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_start = before.rfind('\n');
  const std::size_t start = line_start == std::string_view::npos ? 0 : line_start + 1;
  std::string column = "column " + std::to_string(before.size() - start + 1);
  const bool has_lines =
      text.substr(0, text.find_last_not_of(kBlanks) + 1).find('\n') != std::string_view::npos;
  if (!has_lines) return column;
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  return "line " + std::to_string(line) + ", " + column;
}

std::string json_mistake_at(std::string_view text, std::size_t error_at) {
  const std::string mistake = json_mistake(text, error_at);
  const std::string place = ", " + json_place(text, error_at);
  return mistake.empty() ? place : place + ": " + mistake;
}

}  // namespace stator

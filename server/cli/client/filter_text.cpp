#include "server/cli/client/filter_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

#include "protocol/json/json_writer.h"
#include "server/http/header_text.h"

namespace stator::client {

namespace {

constexpr std::array<std::string_view, 5> kOperators = {"and", "or", "not", "between", "in"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Letters beyond ASCII belong to names, too.
bool begins_name(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalpha(byte) != 0 || c == '_' || byte >= 0x80;
}
bool is_in_name(char c) { return begins_name(c) || is_digit(c); }

bool is_operator(std::string_view word) {
  return std::any_of(kOperators.begin(), kOperators.end(),
                     [word](std::string_view name) { return equals_ignoring_case(word, name); });
}

class FilterReader {
 public:
  explicit FilterReader(std::string_view text) : rest_{text} {}

  tl::expected<FilterParts, std::string> read() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '\'' || c == '"' || c == '`') {
        if (!take_quoted(c)) return tl::unexpected(std::string{"a "} + c + " has no end");
      } else if (begins_number()) {
        take_number();
      } else if (c == '[') {
        take_index();
      } else if (begins_name(c)) {
        take_word();
      } else {
        parts_.expression += c;
        rest_.remove_prefix(1);
      }
    }
    if (!parts_.names.empty()) parts_.names += '}';
    if (!parts_.values.empty()) parts_.values += '}';
    return std::move(parts_);
  }

 private:
  bool begins_number() const {
    const bool is_signed = rest_.front() == '-' || rest_.front() == '+';
    const std::size_t at = is_signed ? 1 : 0;
    return rest_.size() > at && is_digit(rest_[at]);
  }

  // The index of a list's element is no value.
  void take_index() {
    const std::size_t end = std::min(rest_.find(']'), rest_.size() - 1) + 1;
    parts_.expression += rest_.substr(0, end);
    rest_.remove_prefix(end);
  }

  bool take_quoted(char quote) {
    std::string text;
    for (std::size_t at = 1; at < rest_.size(); ++at) {
      if (rest_[at] != quote) {
        text += rest_[at];
      } else if (at + 1 < rest_.size() && rest_[at + 1] == quote) {
        text += quote;
        ++at;
      } else {
        rest_.remove_prefix(at + 1);
        if (quote == '`') {
          add_name(text);
        } else {
          std::string json;
          append_json_string(json, text);
          add_value("S", json);
        }
        return true;
      }
    }
    return false;
  }

  void take_number() {
    std::size_t end = 1;
    while (end < rest_.size()) {
      const bool is_exponent_sign = (rest_[end] == '-' || rest_[end] == '+') &&
                                    (rest_[end - 1] == 'e' || rest_[end - 1] == 'E');
      if (!is_in_name(rest_[end]) && rest_[end] != '.' && !is_exponent_sign) break;
      ++end;
    }
    std::string json;
    append_json_string(json, rest_.substr(0, end));
    rest_.remove_prefix(end);
    add_value("N", json);
  }

  void take_word() {
    const auto end = static_cast<std::size_t>(
        std::find_if_not(rest_.begin(), rest_.end(), is_in_name) - rest_.begin());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    const std::size_t next = rest_.find_first_not_of(" \t\n");
    const bool is_called = next != std::string_view::npos && rest_[next] == '(';
    const bool is_member = parts_.expression.ends_with('.');
    if (!is_member && (is_operator(word) || is_called)) {
      parts_.expression += word;
    } else if (!is_member && (word == "true" || word == "false")) {
      add_value("BOOL", word);
    } else if (!is_member && word == "null") {
      add_value("NULL", "true");
    } else {
      add_name(word);
    }
  }

  void add_name(std::string_view name) {
    const auto [place, is_new] =
        placeholders_.try_emplace(std::string{name}, "#n" + std::to_string(placeholders_.size()));
    parts_.expression += place->second;
    if (!is_new) return;
    parts_.names += parts_.names.empty() ? "{\"" : ",\"";
    parts_.names.append(place->second).append("\":");
    append_json_string(parts_.names, name);
  }

  void add_value(std::string_view type, std::string_view json) {
    const std::string name = ":v" + std::to_string(values_++);
    parts_.expression += name;
    parts_.values += parts_.values.empty() ? "{\"" : ",\"";
    parts_.values.append(name).append("\":{\"").append(type).append("\":").append(json);
    parts_.values += '}';
  }

  std::string_view rest_;
  FilterParts parts_;
  std::map<std::string, std::string> placeholders_;  // by name
  std::size_t values_ = 0;
};

}  // namespace

tl::expected<FilterParts, std::string> read_filter(std::string_view text) {
  return FilterReader{text}.read();
}

}  // namespace stator::client

#include "server/triggers/api/function_name.h"

#include <algorithm>
#include <vector>

namespace stator::triggers {
namespace {

constexpr std::size_t kPartsMax = 8;
constexpr std::size_t kAccountDigits = 12;

bool is_digit(char sign) { return sign >= '0' && sign <= '9'; }

bool is_word_sign(char sign) {
  return is_digit(sign) || (sign >= 'a' && sign <= 'z') || (sign >= 'A' && sign <= 'Z') ||
         sign == '-' || sign == '_';
}

bool is_account(std::string_view text) {
  return text.size() == kAccountDigits && std::all_of(text.begin(), text.end(), is_digit);
}

// A name, or a Region within an ARN.
bool is_dotted_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char sign) { return is_word_sign(sign) || sign == '.'; });
}

bool is_qualifier(std::string_view text) {
  return text == "$LATEST" || text == "$LATEST.PUBLISHED" ||
         (!text.empty() && std::all_of(text.begin(), text.end(), is_word_sign));
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos || parts.size() > kPartsMax) return parts;
    text.remove_prefix(colon + 1);
  }
}

}  // namespace

std::string FunctionName::arn(std::string_view callers_region,
                              std::string_view callers_account) const {
  std::string text("arn:aws:lambda:");
  text.append(region.empty() ? callers_region : region).append(":");
  text.append(account_id.empty() ? callers_account : account_id);
  text.append(":function:").append(name);
  if (!qualifier.empty()) text.append(":").append(qualifier);
  return text;
}

std::optional<FunctionName> parse_function_name(std::string_view text) {
  const auto parts = parts_of(text);
  std::size_t at = 0;
  const auto left = [&] { return parts.size() - at; };
  FunctionName found;
  if (parts[0] == "arn") {
    if (left() < 7 || !parts[1].starts_with("aws") || parts[2] != "lambda" ||
        !is_dotted_word(parts[3]) || !is_account(parts[4]) || parts[5] != "function")
      return std::nullopt;
    found.region = parts[3];
    found.account_id = parts[4];
    at = 6;
  } else {
    if (left() >= 3 && is_account(parts[0]) && parts[1] == "function") {
      found.account_id = parts[0];
      at = 2;
    } else if (left() >= 2 && parts[0] == "function") {
      at = 1;
    }
  }
  if (left() > 2 || !is_dotted_word(parts[at])) return std::nullopt;
  found.name = parts[at];
  if (left() == 1) return found;
  found.qualifier = parts[at + 1];
  if (!is_qualifier(found.qualifier)) return std::nullopt;
  return found;
}

std::string_view function_name_pattern() {
  return R"((arn:(aws[a-zA-Z-]*)?:lambda:)?((eusc-)?[a-z]{2}((-gov)|(-iso([a-z]?)))?-[a-z]+-\d{1}:)?(\d{12}:)?(function:)?([a-zA-Z0-9-_\.]+)(:(\$LATEST(\.PUBLISHED)?|[a-zA-Z0-9-_]+))?)";
}

}  // namespace stator::triggers

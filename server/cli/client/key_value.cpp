#include "server/cli/client/key_value.h"

#include <algorithm>

#include "protocol/json/json_node_text.h"
#include "protocol/json/json_writer.h"
#include "protocol/number/number.h"
#include "protocol/text/base64.h"
#include "protocol/text/utf8.h"
#include "server/data/transfer/json_text.h"

namespace stator::client {

namespace {

using Kind = JsonNode::Kind;

std::string wrong_type(const KeyAttribute& key, std::string_view value, std::string_view is_not) {
  return "key '" + key.name + "' is of type " + key.type + ", and " + std::string{value} +
         " is not " + std::string{is_not};
}

std::string_view meaning_of(std::string_view type) {
  if (type == "N") return "a number";
  return type == "B" ? "Base64" : "a string";
}

bool fits(std::string_view type, std::string_view text) {
  Number number;
  if (type == "N") return parse_number(text, NumberRules::Current, number) == NumberError::None;
  if (type == "B") return check_base64(text) == Base64Error::None;
  return is_valid_utf8(text);
}

void append_typed(std::string& out, std::string_view type, std::string_view text) {
  out.append("{\"").append(type).append("\":");
  append_json_string(out, text);
  out += '}';
}

bool is_kind_of(std::string_view type, Kind kind) {
  const bool is_number = kind == Kind::Integer || kind == Kind::Decimal;
  return type == "N" ? is_number : kind == Kind::String;
}

}  // namespace

tl::expected<std::string, std::string> key_value(const KeyAttribute& key, std::string_view word) {
  if (!fits(key.type, word)) {
    const std::string_view meaning = key.type == "S" ? "UTF-8" : meaning_of(key.type);
    return tl::unexpected(wrong_type(key, "'" + std::string{word} + "'", meaning));
  }
  std::string value;
  append_typed(value, key.type, word);
  return value;
}

tl::expected<std::string, std::string> plain_item(const JsonNode& object,
                                                  const data::TableInfo& table) {
  std::string item;
  for (const JsonMember& member : object.members()) {
    item += item.empty() ? '{' : ',';
    append_json_string(item, member.name);
    item += ':';
    const auto type = table.types.find(member.name);
    const bool is_typed = type != table.types.end();
    const bool is_good = is_typed && is_kind_of(type->second, member.value.kind()) &&
                         fits(type->second, member.value.text());
    if (is_good) {
      append_typed(item, type->second, member.value.text());
      continue;
    }
    // Items may lack the keys of an index or, as the service decides, have other values there.
    if (std::find(table.keys.begin(), table.keys.end(), member.name) != table.keys.end()) {
      std::string value;
      append_node_json(value, member.value);
      const bool may_be_typed = member.value.kind() == Kind::Object;
      return tl::unexpected(
          wrong_type({std::string{member.name}, type->second}, value, meaning_of(type->second)) +
          (may_be_typed ? "; --typed reads DynamoDB JSON" : ""));
    }
    data::append_typed_value(item, member.value);
  }
  return item.empty() ? "{}" : item + "}";
}

}  // namespace stator::client

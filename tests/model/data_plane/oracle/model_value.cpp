#include "tests/model/data_plane/oracle/model_value.h"

#include <algorithm>
#include <utility>

namespace stator::model {
namespace {

constexpr std::size_t kContainerBytes = 3;
constexpr std::size_t kElementBytes = 1;

std::string spell(const Decimal& number, Dice& dice) {
  const std::string plain = number.plain();
  switch (dice.below(8)) {
    case 0:
      return number.scientific();
    case 1:
      return plain.find('.') == std::string::npos ? plain + ".00" : plain + "0";
    case 2:
      return plain[0] == '-' ? "-00" + plain.substr(1) : "+" + plain;
    default:
      return plain;
  }
}

// What the printing of answers and requests differ in.
struct Printer {
  Dice* dice;  // nullptr: an answer

  std::string number(const Decimal& number) const {
    return dice != nullptr ? spell(number, *dice) : number.plain();
  }

  Json set(std::vector<std::string> members) const {
    if (dice != nullptr) {
      dice->shuffle(members);
    } else {
      std::sort(members.begin(), members.end());
    }
    Json list = Json::list();
    for (std::string& member : members) list.array.push_back(Json::string(std::move(member)));
    return list;
  }

  Json set_of(const Value& value) const {
    std::vector<std::string> members;
    for (const std::string& text : value.texts) {
      members.push_back(value.type == Type::BS ? base64(text) : text);
    }
    for (const Decimal& one : value.numbers) members.push_back(number(one));
    return set(std::move(members));
  }

  Json content(const Value& value) const {
    switch (value.type) {
      case Type::S:
        return Json::string(value.text);
      case Type::N:
        return Json::string(number(value.number));
      case Type::B:
        return Json::string(base64(value.text));
      case Type::Bool:
        return Json::boolean(value.flag);
      case Type::Null:
        return Json::boolean(true);
      case Type::SS:
      case Type::NS:
      case Type::BS:
        return set_of(value);
      case Type::L: {
        Json list = Json::list();
        for (const Value& element : value.list) list.array.push_back(print(element));
        return list;
      }
      case Type::M:
        return print(value.map);
    }
    return {};
  }

  Json print(const Value& value) const {
    Json json;
    json[std::string(type_name(value.type))] = content(value);
    return json;
  }
  Json print(const Item& item) const {
    Json json;
    for (const auto& [name, value] : item) json[name] = print(value);
    return json;
  }
};

}  // namespace

std::string_view type_name(Type type) {
  static constexpr std::string_view kNames[] = {"S",  "N",  "B",  "BOOL", "NULL",
                                                "SS", "NS", "BS", "L",    "M"};
  return kNames[static_cast<std::size_t>(type)];
}

Value Value::of_string(std::string text) {
  Value value;
  value.type = Type::S;
  value.text = std::move(text);
  return value;
}
Value Value::of_number(Decimal number) {
  Value value;
  value.type = Type::N;
  value.number = std::move(number);
  return value;
}
Value Value::of_list(std::vector<Value> elements) {
  Value value;
  value.type = Type::L;
  value.list = std::move(elements);
  return value;
}

bool Value::operator==(const Value& other) const {
  return type == other.type && flag == other.flag && text == other.text && number == other.number &&
         texts == other.texts && numbers == other.numbers && list == other.list && map == other.map;
}

bool is_scalar_key(Type type) { return type == Type::S || type == Type::N || type == Type::B; }
bool is_set(Type type) { return type == Type::SS || type == Type::NS || type == Type::BS; }

std::strong_ordering order_of(const Value& a, const Value& b) {
  if (a.type == Type::N) return a.number <=> b.number;
  return a.text.compare(b.text) <=> 0;  // char_traits compares chars as unsigned
}

std::size_t size_bytes(const Value& value) {
  std::size_t bytes = 0;
  switch (value.type) {
    case Type::S:
    case Type::B:
      return value.text.size();
    case Type::N:
      return value.number.size_bytes();
    case Type::Bool:
    case Type::Null:
      return 1;
    case Type::SS:
    case Type::BS:
      for (const std::string& member : value.texts) bytes += member.size();
      return bytes;
    case Type::NS:
      for (const Decimal& member : value.numbers) bytes += member.size_bytes();
      return bytes;
    case Type::L:
      bytes = kContainerBytes;
      for (const Value& element : value.list) bytes += kElementBytes + size_bytes(element);
      return bytes;
    case Type::M:
      return kContainerBytes + kElementBytes * value.map.size() + size_bytes(value.map);
  }
  return bytes;
}

std::size_t size_bytes(const Item& item) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : item) bytes += name.size() + size_bytes(value);
  return bytes;
}

std::size_t depth(const Value& value) {
  if (value.type != Type::L && value.type != Type::M) return 0;
  std::size_t deepest = 0;
  for (const Value& element : value.list) deepest = std::max(deepest, depth(element));
  for (const auto& [name, member] : value.map) deepest = std::max(deepest, depth(member));
  return deepest + 1;
}

Json to_json(const Value& value) { return Printer{nullptr}.print(value); }
Json to_json(const Item& item) { return Printer{nullptr}.print(item); }
Json to_request(const Value& value, Dice& dice) { return Printer{&dice}.print(value); }
Json to_request(const Item& item, Dice& dice) { return Printer{&dice}.print(item); }

}  // namespace stator::model

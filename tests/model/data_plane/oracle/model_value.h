// Value and Item of the model: plain containers, compared and measured by the written rules alone.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/model/data_plane/oracle/decimal.h"
#include "tests/model/data_plane/oracle/dice.h"
#include "tests/model/data_plane/oracle/json.h"

namespace stator::model {

enum class Type { S, N, B, Bool, Null, SS, NS, BS, L, M };
std::string_view type_name(Type type);

struct Value;
using Item = std::map<std::string, Value>;

struct Value {
  Type type = Type::Null;
  bool flag = false;            // Bool
  std::string text;             // S; B: the bytes
  Decimal number;               // N
  std::set<std::string> texts;  // SS, BS
  std::set<Decimal> numbers;    // NS
  std::vector<Value> list;      // L
  Item map;                     // M

  static Value of_string(std::string text);
  static Value of_number(Decimal number);
  static Value of_list(std::vector<Value> elements);

  bool operator==(const Value& other) const;
};

bool is_scalar_key(Type type);  // S, N, B
bool is_set(Type type);

// The order of S, N and B. REQUIRES: the same of these types.
std::strong_ordering order_of(const Value& a, const Value& b);

// Billed bytes.
std::size_t size_bytes(const Value& value);
std::size_t size_bytes(const Item& item);
// Levels of lists and maps; a scalar has none.
std::size_t depth(const Value& value);

// As an answer prints it.
Json to_json(const Value& value);
Json to_json(const Item& item);
// As a client may print it: any order in sets, any spelling of numbers.
Json to_request(const Value& value, Dice& dice);
Json to_request(const Item& item, Dice& dice);

}  // namespace stator::model

// Random writes of single items: what becomes of the item, and how each operation asks for it.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace stator::model {

// A change of one item. Items are JSON as the wire shows them; one that is not there is empty.
struct ItemWrite {
  enum class Verb : std::uint8_t { Put, Delete, Update };

  Verb verb = Verb::Put;
  std::string key;
  std::string before;
  std::string after;
  // Of an update: the attribute that it sets, or removes when the value is empty.
  std::string attribute = {};
  std::string value = {};
};

// Of few different items, so that many writes change nothing. Some expire within hours of `now_s`,
// some have the attribute `g`.
ItemWrite random_write(const std::string& key, const std::string& before, std::int64_t now_s,
                       std::mt19937_64& random);

// PutItem, DeleteItem, UpdateItem, and the body of its request.
const char* operation_of(const ItemWrite& write);
std::string request_of(const ItemWrite& write, const std::string& table);

// The same as an element of BatchWriteItem. REQUIRES: it is no update.
std::string batch_element_of(const ItemWrite& write);
// As an element of TransactWriteItems.
std::string action_of(const ItemWrite& write, const std::string& table);

// As a request of ExecuteStatement. Empty: no statement does it, as one that puts onto an item.
std::string statement_of(const ItemWrite& write, const std::string& table);

}  // namespace stator::model

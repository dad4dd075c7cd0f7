// Resources: what a parsed request touches, and which parts of it decide about permissions. For
// code that decides about requests before they run: engine/operations/access makes permissions and
// condition keys from it, server/faults looks for tables and keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/expression/evaluation/key_condition.h"
#include "protocol/expression/evaluation/projection.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/json/json_tree.h"
#include "protocol/values/value.h"

namespace stator {

namespace partiql {
struct Lowered;
}

enum class Reach : std::uint8_t {
  Named,      // the table, index, stream, backup, export or import that the request names
  AllTables,  // a list; a table that the request names only narrows it
  Account,    // nothing that has an ARN
};

// Which part of a resource has the partition keys of the items that the action addresses.
enum class KeySource : std::uint8_t {
  None,  // the action does not address items by their keys
  ItemKey,
  KeyConditions,
  Where,  // the condition is that of a statement
};

// One action on one table or item. Views into the request. In batches and transactions each item
// has its own resource, in the order of the request.
struct Resource {
  // Name or ARN, as in the request. The ARN may be that of a stream, backup, export or import.
  std::string_view table = {};
  std::string_view index = {};  // empty for the table itself
  // Attributes that include the key of the one item touched; empty if no particular item.
  Item key = {};

  Reach reach = Reach::Named;
  std::string_view action = {};  // "PutItem"; empty: the operation's name
  std::size_t member = 0;        // of a batch whose members succeed or fail alone, from 0

  // What the action names besides `key`; each part may be absent.
  KeySource key_source = KeySource::None;
  std::span<const expr::KeyCondition> key_conditions = {};
  const expr::Condition* condition = nullptr;  // or the filter
  const expr::Projection* projection = nullptr;
  const expr::Update* update = nullptr;
  const partiql::Lowered* statement = nullptr;  // the source of the above in PartiQL
  bool is_incomplete = false;  // the request names more, in a statement that is rejected

  // Parameters as on the wire, with their defaults; empty where the action has none of the kind.
  std::string_view select = {};
  std::string_view return_values = {};
  std::string_view return_consumed_capacity = {};
  std::string_view enclosing_operation = {};  // of a member of a transaction

  std::span<const JsonNode> tags = {};      // objects with Key and Value
  std::span<const JsonNode> tag_keys = {};  // texts
};

using Resources = std::vector<Resource>;

}  // namespace stator

// Generator: random schemas, items, conditions, updates and projections over few names and few
// values, so that operations meet each other and conditions are often true.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/model/data_plane/oracle/dice.h"
#include "tests/model/data_plane/oracle/syntax.h"
#include "tests/model/data_plane/oracle/table_model.h"

namespace stator::model {

// The attributes that an expression may name. Of keys only the whole attribute.
struct Scope {
  std::vector<std::string> names;
  std::set<std::string> keys;
};

class Generator {
 public:
  explicit Generator(Dice& dice) : dice_(dice) {}

  TableSchema schema(const std::string& name);

  IndexSchema index(const TableSchema& schema, std::size_t number, bool is_global);

  Value value(int depth_max);
  Value value_of(Type type, int depth_max);
  // A value that a key attribute may have.
  Value key_value(const std::string& attribute, Type type);
  // A value of the attribute's usual type, now and then of another.
  Value attribute_value(const TableSchema& schema, const std::string& attribute);

  Item key(const TableSchema& schema);
  Item item(const TableSchema& schema);

  // All attributes, or those an index stores, without `banned`.
  Scope scope(const TableModel& table, const IndexSchema* index,
              const std::set<std::string>& banned = {});

  // `sample` is an item the constants may come from, or nullptr.
  Condition condition(const Scope& scope, const Item* sample, int depth_max);
  LegacyConditions legacy_conditions(const Scope& scope, const Item* sample);
  std::vector<Path> projection(const Scope& scope);
  // Whole attributes: for AttributesToGet.
  std::vector<Path> attributes(const Scope& scope);
  Update update(const TableSchema& schema, const Item* sample);
  Update legacy_update(const TableSchema& schema);
  // On the table (`index` is nullptr) or the index; `sample` is an item that is in it, or nullptr.
  KeyCondition key_condition(const TableSchema& schema, const IndexSchema* index,
                             const Item* sample);

 private:
  Path path(const Scope& scope);
  Operand operand(const Scope& scope);
  Value constant_near(const Path& path, const Item* sample);
  Condition simple_condition(const Scope& scope, const Item* sample);
  std::optional<LegacyEntry> legacy_entry(const std::string& attribute, const Item* sample);
  Value ordered_constant(const Path& path, const Item* sample);
  Expression number_part(const Scope& scope, int depth_max);
  Expression list_part(const Scope& scope, int depth_max);
  Expression set_value(const TableSchema& schema, const Scope& scope, const Path& target);
  std::optional<Action> action(const TableSchema& schema, const Scope& scope, const Path& target);
  KeyCondition::Part key_part(const KeyAttribute& key, const Item* sample, bool is_equal);
  Dice& dice_;
};

}  // namespace stator::model

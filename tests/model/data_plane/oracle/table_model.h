// TableModel: what a table is by definition: a map of items. Indexes are not kept but derived: the
// items that have the index's key attributes, reduced to the projection, in order. Units follow the
// written rules of accounting.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/model/data_plane/oracle/json.h"
#include "tests/model/data_plane/oracle/model_value.h"

namespace stator::model {

struct KeyAttribute {
  std::string name;
  Type type = Type::S;
};

enum class ProjectionType { All, KeysOnly, Include };

struct IndexSchema {
  std::string name;
  bool is_global = false;
  std::vector<KeyAttribute> partition_keys;
  std::vector<KeyAttribute> sort_keys;
  ProjectionType projection = ProjectionType::All;
  std::vector<std::string> included;
};

struct TableSchema {
  std::string name;
  KeyAttribute partition_key;
  std::optional<KeyAttribute> sort_key;
  std::vector<IndexSchema> indexes;  // in no order of kind
  bool is_on_demand = false;
  bool is_bulk = false;  // its items are tens of kilobytes, many to a partition
  // Attributes that indexes have as keys, or may get as keys later.
  std::vector<KeyAttribute> candidates;

  bool has_local_indexes() const;
  // Every attribute that is a key of the table or of an index, with its type.
  std::map<std::string, Type> definitions() const;
  Json create_request() const;
  // Adds or removes a global index, which `indexes` must contain.
  Json create_index_request(const IndexSchema& index) const;
  Json delete_index_request(const IndexSchema& index) const;
};

// Whether an index can hold the item's key: the values of each kind of key are bounded together.
bool fits(const IndexSchema& index, const Item& item);

// Values of key attributes in their order: of the partition, then of the sort keys.
struct KeyOrder {
  bool operator()(const std::vector<Value>& a, const std::vector<Value>& b) const;
};
using KeyValues = std::vector<Value>;

// Thousandths of a unit, of the table and of the indexes charged.
struct Units {
  std::int64_t table = 0;
  std::map<std::string, std::int64_t> local_indexes;
  std::map<std::string, std::int64_t> global_indexes;

  void add(const Units& other);
};
std::int64_t write_units(std::size_t size_bytes);
std::int64_t read_units(std::size_t size_bytes, bool is_consistent);

// The entry of ConsumedCapacity for a ReturnConsumedCapacity of `mode`: "TOTAL" or "INDEXES".
// Transactions tell each figure once more, as "WriteCapacityUnits" or "ReadCapacityUnits".
Json consumed_json(const std::string& mode, const std::string& table_name, const Units& units,
                   const char* told_as_well = nullptr);

class TableModel {
 public:
  explicit TableModel(TableSchema schema) : schema_(std::move(schema)) {}

  const TableSchema& schema() const { return schema_; }
  TableSchema& schema() { return schema_; }
  const std::map<KeyValues, Item, KeyOrder>& items() const { return items_; }

  // The values of the table's key attributes. REQUIRES: `item` has them.
  KeyValues key_values(const Item& item) const;
  // The table's key attributes of an item.
  Item key_of(const Item& item) const;
  // nullptr: none.
  const Item* find(const KeyValues& key) const;

  // What an index stores of an item; empty when it stores nothing.
  std::optional<Item> entry(const IndexSchema& index, const Item& item) const;
  // Whether an index stores the attribute of every item.
  bool is_projected(const IndexSchema& index, const std::string& attribute) const;
  // The key attributes of table and index: what a page's last key consists of.
  Item position(const IndexSchema* index, const Item& item) const;

  // Of an item with its entries in local indexes.
  std::size_t bytes_with_entries(const Item& item) const;
  // Of the items with a partition key, entries in local indexes included.
  std::size_t collection_bytes(const Value& partition) const;

  // Replaces, adds or (nullptr) removes the item of `key`, and accounts for it.
  Units write(const KeyValues& key, const Item* after);

  // ItemCount and the size of the table (nullptr) or of an index.
  std::pair<std::size_t, std::size_t> statistics(const IndexSchema* index) const;

 private:
  void charge_index(const IndexSchema& index, const Item* before, const Item* after,
                    Units& units) const;

  TableSchema schema_;
  std::map<KeyValues, Item, KeyOrder> items_;
};

}  // namespace stator::model

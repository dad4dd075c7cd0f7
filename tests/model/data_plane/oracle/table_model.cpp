#include "tests/model/data_plane/oracle/table_model.h"

#include <algorithm>
#include <string_view>

namespace stator::model {
namespace {

constexpr std::int64_t kUnit = 1000;
constexpr std::size_t kWriteBlockBytes = 1024;
constexpr std::size_t kPartitionKeyBytesMax = 2048;
constexpr std::size_t kSortKeyBytesMax = 1024;
constexpr std::size_t kReadBlockBytes = 4096;

std::int64_t blocks(std::size_t size_bytes, std::size_t block_bytes) {
  return static_cast<std::int64_t>(
      std::max<std::size_t>(1, (size_bytes + block_bytes - 1) / block_bytes));
}

Json units_json(std::int64_t units) {
  return Json::number(std::to_string(units / kUnit) + "." +
                      std::to_string(units % kUnit * 10 / kUnit));
}

Json key_schema(const std::vector<KeyAttribute>& partition_keys,
                const std::vector<KeyAttribute>& sort_keys) {
  Json list = Json::list();
  const auto add = [&](const KeyAttribute& key, const char* kind) {
    Json element;
    element["AttributeName"] = Json::string(key.name);
    element["KeyType"] = Json::string(kind);
    list.array.push_back(std::move(element));
  };
  for (const KeyAttribute& key : partition_keys) add(key, "HASH");
  for (const KeyAttribute& key : sort_keys) add(key, "RANGE");
  return list;
}

Json definitions_json(const TableSchema& schema) {
  Json list = Json::list();
  for (const auto& [attribute, type] : schema.definitions()) {
    Json definition;
    definition["AttributeName"] = Json::string(attribute);
    definition["AttributeType"] = Json::string(std::string(type_name(type)));
    list.array.push_back(std::move(definition));
  }
  return list;
}

Json throughput_json() {
  Json json;
  json["ReadCapacityUnits"] = Json::number("5");
  json["WriteCapacityUnits"] = Json::number("5");
  return json;
}

Json index_json(const IndexSchema& index, bool is_on_demand) {
  static constexpr std::string_view kNames[] = {"ALL", "KEYS_ONLY", "INCLUDE"};
  Json json;
  json["IndexName"] = Json::string(index.name);
  json["KeySchema"] = key_schema(index.partition_keys, index.sort_keys);
  json["Projection"]["ProjectionType"] =
      Json::string(std::string(kNames[static_cast<std::size_t>(index.projection)]));
  if (index.projection == ProjectionType::Include) {
    Json& names = json["Projection"]["NonKeyAttributes"] = Json::list();
    for (const std::string& name : index.included) names.array.push_back(Json::string(name));
  }
  if (index.is_global && !is_on_demand) json["ProvisionedThroughput"] = throughput_json();
  return json;
}

// Calls with each key attribute of an index.
template <class Visit>
void each_key(const IndexSchema& index, const Visit& visit) {
  for (const KeyAttribute& key : index.partition_keys) visit(key);
  for (const KeyAttribute& key : index.sort_keys) visit(key);
}

}  // namespace

bool TableSchema::has_local_indexes() const {
  return std::any_of(indexes.begin(), indexes.end(),
                     [](const IndexSchema& index) { return !index.is_global; });
}

std::map<std::string, Type> TableSchema::definitions() const {
  std::map<std::string, Type> types{{partition_key.name, partition_key.type}};
  if (sort_key) types[sort_key->name] = sort_key->type;
  for (const IndexSchema& index : indexes) {
    each_key(index, [&](const KeyAttribute& key) { types[key.name] = key.type; });
  }
  return types;
}

Json TableSchema::create_index_request(const IndexSchema& index) const {
  Json request;
  request["TableName"] = Json::string(name);
  request["AttributeDefinitions"] = definitions_json(*this);
  Json update;
  update["Create"] = index_json(index, is_on_demand);
  request["GlobalSecondaryIndexUpdates"] = Json::list({update});
  return request;
}

Json TableSchema::delete_index_request(const IndexSchema& index) const {
  Json request;
  request["TableName"] = Json::string(name);
  Json update;
  update["Delete"]["IndexName"] = Json::string(index.name);
  request["GlobalSecondaryIndexUpdates"] = Json::list({update});
  return request;
}

Json TableSchema::create_request() const {
  Json request;
  request["TableName"] = Json::string(name);
  request["AttributeDefinitions"] = definitions_json(*this);
  request["KeySchema"] =
      key_schema({partition_key}, sort_key ? std::vector{*sort_key} : std::vector<KeyAttribute>{});
  if (is_on_demand) {
    request["BillingMode"] = Json::string("PAY_PER_REQUEST");
  } else {
    request["ProvisionedThroughput"] = throughput_json();
  }
  for (const IndexSchema& index : indexes) {
    Json& list = request[index.is_global ? "GlobalSecondaryIndexes" : "LocalSecondaryIndexes"];
    list.kind = Json::Kind::Array;
    list.array.push_back(index_json(index, is_on_demand));
  }
  return request;
}

bool fits(const IndexSchema& index, const Item& item) {
  const auto bytes = [&](const std::vector<KeyAttribute>& keys) {
    std::size_t sum = 0;
    for (const KeyAttribute& key : keys) {
      const auto found = item.find(key.name);
      if (found != item.end() && found->second.type == key.type) sum += found->second.text.size();
    }
    return sum;
  };
  return bytes(index.partition_keys) <= kPartitionKeyBytesMax &&
         bytes(index.sort_keys) <= kSortKeyBytesMax;
}

bool KeyOrder::operator()(const std::vector<Value>& a, const std::vector<Value>& b) const {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const auto order = order_of(a[i], b[i]);
    if (order != 0) return order < 0;
  }
  return a.size() < b.size();
}

void Units::add(const Units& other) {
  table += other.table;
  for (const auto& [name, units] : other.local_indexes) local_indexes[name] += units;
  for (const auto& [name, units] : other.global_indexes) global_indexes[name] += units;
}

std::int64_t write_units(std::size_t size_bytes) {
  return blocks(size_bytes, kWriteBlockBytes) * kUnit;
}

std::int64_t read_units(std::size_t size_bytes, bool is_consistent) {
  return blocks(size_bytes, kReadBlockBytes) * kUnit / (is_consistent ? 1 : 2);
}

Json consumed_json(const std::string& mode, const std::string& table_name, const Units& units,
                   const char* told_as_well) {
  Json json;
  std::int64_t total = units.table;
  const auto tell = [&](Json& object, std::int64_t told) {
    object["CapacityUnits"] = units_json(told);
    if (told_as_well != nullptr) object[told_as_well] = units_json(told);
  };
  const auto add = [&](const char* member, const std::map<std::string, std::int64_t>& indexes) {
    for (const auto& [name, index_units] : indexes) {
      total += index_units;
      if (mode == "INDEXES") tell(json[member][name], index_units);
    }
  };
  json["TableName"] = Json::string(table_name);
  add("LocalSecondaryIndexes", units.local_indexes);
  add("GlobalSecondaryIndexes", units.global_indexes);
  tell(json, total);
  if (mode == "INDEXES") tell(json["Table"], units.table);
  return json;
}

KeyValues TableModel::key_values(const Item& item) const {
  KeyValues key{item.at(schema_.partition_key.name)};
  if (schema_.sort_key) key.push_back(item.at(schema_.sort_key->name));
  return key;
}

Item TableModel::key_of(const Item& item) const {
  Item key;
  key[schema_.partition_key.name] = item.at(schema_.partition_key.name);
  if (schema_.sort_key) key[schema_.sort_key->name] = item.at(schema_.sort_key->name);
  return key;
}

const Item* TableModel::find(const KeyValues& key) const {
  const auto found = items_.find(key);
  return found == items_.end() ? nullptr : &found->second;
}

bool TableModel::is_projected(const IndexSchema& index, const std::string& attribute) const {
  if (index.projection == ProjectionType::All) return true;
  bool is_found = attribute == schema_.partition_key.name ||
                  (schema_.sort_key && attribute == schema_.sort_key->name);
  each_key(index, [&](const KeyAttribute& key) { is_found = is_found || key.name == attribute; });
  return is_found ||
         std::find(index.included.begin(), index.included.end(), attribute) != index.included.end();
}

std::optional<Item> TableModel::entry(const IndexSchema& index, const Item& item) const {
  bool has_keys = true;
  each_key(index, [&](const KeyAttribute& key) {
    const auto found = item.find(key.name);
    has_keys = has_keys && found != item.end() && found->second.type == key.type &&
               (key.type == Type::N || !found->second.text.empty());
  });
  if (!has_keys || !fits(index, item)) return std::nullopt;
  if (index.projection == ProjectionType::All) return item;
  Item result;
  for (const auto& [name, value] : item) {
    if (is_projected(index, name)) result.emplace(name, value);
  }
  return result;
}

Item TableModel::position(const IndexSchema* index, const Item& item) const {
  Item result = key_of(item);
  if (index != nullptr) {
    each_key(*index, [&](const KeyAttribute& key) { result[key.name] = item.at(key.name); });
  }
  return result;
}

void TableModel::charge_index(const IndexSchema& index, const Item* before, const Item* after,
                              Units& units) const {
  const auto old_entry = before != nullptr ? entry(index, *before) : std::nullopt;
  const auto new_entry = after != nullptr ? entry(index, *after) : std::nullopt;
  std::int64_t charged = 0;
  if (old_entry && new_entry) {
    if (*old_entry == *new_entry) return;
    bool is_moved = false;
    each_key(index, [&](const KeyAttribute& key) {
      is_moved = is_moved || !(old_entry->at(key.name) == new_entry->at(key.name));
    });
    const std::int64_t old_units = write_units(size_bytes(*old_entry));
    const std::int64_t new_units = write_units(size_bytes(*new_entry));
    charged = is_moved ? old_units + new_units : std::max(old_units, new_units);
  } else if (old_entry || new_entry) {
    charged = write_units(size_bytes(old_entry ? *old_entry : *new_entry));
  } else {
    return;
  }
  (index.is_global ? units.global_indexes : units.local_indexes)[index.name] += charged;
}

std::size_t TableModel::bytes_with_entries(const Item& item) const {
  std::size_t bytes = size_bytes(item);
  for (const IndexSchema& index : schema_.indexes) {
    if (index.is_global) continue;
    if (const auto stored = entry(index, item)) bytes += size_bytes(*stored);
  }
  return bytes;
}

std::size_t TableModel::collection_bytes(const Value& partition) const {
  std::size_t bytes = 0;
  for (auto at = items_.lower_bound({partition}); at != items_.end(); ++at) {
    if (order_of(at->first[0], partition) != 0) break;
    bytes += bytes_with_entries(at->second);
  }
  return bytes;
}

Units TableModel::write(const KeyValues& key, const Item* after) {
  const Item* before = find(key);
  const std::size_t before_bytes = before != nullptr ? size_bytes(*before) : 0;
  const std::size_t after_bytes = after != nullptr ? size_bytes(*after) : 0;
  Units units;
  units.table = write_units(std::max(before_bytes, after_bytes));
  for (const IndexSchema& index : schema_.indexes) charge_index(index, before, after, units);
  if (after != nullptr) {
    items_.insert_or_assign(key, Item(*after));
  } else {
    items_.erase(key);
  }
  return units;
}

std::pair<std::size_t, std::size_t> TableModel::statistics(const IndexSchema* index) const {
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (const auto& [key, item] : items_) {
    const auto stored = index != nullptr ? entry(*index, item) : std::optional(item);
    if (!stored) continue;
    ++count;
    bytes += size_bytes(*stored);
  }
  return {count, bytes};
}

}  // namespace stator::model

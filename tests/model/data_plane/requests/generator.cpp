#include "tests/model/data_plane/requests/generator.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stator::model {
namespace {

// Attributes that are no keys, each with the type it usually has.
const std::vector<std::pair<std::string, Type>>& ordinary_attributes() {
  static const std::vector<std::pair<std::string, Type>> kAttributes{
      {"n1", Type::N},
      {"n2", Type::N},
      {"s1", Type::S},
      {"s2", Type::S},
      {"l1", Type::L},
      {"l2", Type::L},
      {"m1", Type::M},
      {"m2", Type::M},
      {"ss", Type::SS},
      {"ns", Type::NS},
      {"bs", Type::BS},
      {"bin", Type::B},
      {"yes", Type::Bool},
      {"name", Type::S},
      {"size", Type::N},
      {"dot.ted", Type::S},
      {"gr\xC3\xB6\xC3\x9F", Type::N}};
  return kAttributes;
}
// Attributes that indexes may have as keys.
const std::vector<std::string>& index_attributes() {
  static const std::vector<std::string> kNames{"k1", "k2", "k3", "k4", "k5", "k6"};
  return kNames;
}

const std::vector<std::string>& strings() {
  static const std::vector<std::string> kPool{"",
                                              "a",
                                              "ab",
                                              "abc",
                                              "b",
                                              "ba",
                                              "\xC3\xA4",
                                              "\xE6\x9D\xB1\xE4\xBA\xAC",
                                              "\xF0\x9F\x98\x80x",
                                              std::string("a\0", 2),
                                              "A",
                                              " ",
                                              "0",
                                              "\"\\/\n"};
  return kPool;
}
const std::vector<std::string>& binaries() {
  static const std::vector<std::string> kPool{
      "", std::string("\0", 1), std::string("\0\xFF", 2), "\xFF", "a", "ab", "\xFF\xFE\xFD"};
  return kPool;
}
const std::vector<std::string>& numbers() {
  static const std::vector<std::string> kPool{"0",
                                              "1",
                                              "2",
                                              "3",
                                              "7",
                                              "10",
                                              "-1",
                                              "-10",
                                              "1.5",
                                              "0.5",
                                              "-0.015",
                                              "120",
                                              "100",
                                              "1E20",
                                              "12345.678",
                                              "1E125",
                                              "-1E125",
                                              "1E-130",
                                              "9999999999999999999999999999999999999",
                                              "12345678901234567890123456789012345678",
                                              "0.1",
                                              "-42",
                                              "1234",
                                              "33.3"};
  return kPool;
}

const std::vector<std::string>& key_strings() {
  static const std::vector<std::string> kPool{"a",
                                              "ab",
                                              "abc",
                                              "b",
                                              "\xC3\xA4",
                                              std::string("a\0", 2),
                                              std::string("a\0b", 3),
                                              "a\x01",
                                              "B",
                                              std::string(200, 'k'),
                                              std::string(199, 'k') + "l"};
  return kPool;
}
const std::vector<std::string>& key_numbers() {
  static const std::vector<std::string> kPool{"0",  "1",   "2",      "-1",   "-2", "1.5",
                                              "10", "100", "-0.001", "1E20", "-42"};
  return kPool;
}
const std::vector<std::string>& key_binaries() {
  static const std::vector<std::string> kPool{std::string("\0", 1),
                                              std::string("\0\0", 2),
                                              std::string("\0\1", 2),
                                              std::string("\0\xFF", 2),
                                              "\xFF",
                                              "\xFF\xFF",
                                              std::string("a\0\xFF", 3),
                                              "a",
                                              std::string("a\0", 2)};
  return kPool;
}

constexpr std::array kAllTypes{Type::S,  Type::N,  Type::B,  Type::Bool, Type::Null,
                               Type::SS, Type::NS, Type::BS, Type::L,    Type::M};

// Members of maps, with the types they usually have.
constexpr std::array<std::pair<const char*, Type>, 5> kMembers{
    {{"x", Type::N}, {"y", Type::S}, {"l1", Type::L}, {"m1", Type::M}, {"name", Type::N}}};

Value empty_of(Type type) {
  Value value;
  value.type = type;
  return value;
}

}  // namespace

TableSchema Generator::schema(const std::string& name) {
  const auto key_type = [&] { return dice_.any({Type::S, Type::S, Type::N, Type::B}); };
  TableSchema schema;
  schema.name = name;
  schema.is_on_demand = dice_.percent(30);
  schema.is_bulk = dice_.percent(4);
  schema.partition_key = {"pk", key_type()};
  if (dice_.percent(80)) schema.sort_key = KeyAttribute{"sk", key_type()};

  for (const std::string& attribute : index_attributes()) {
    schema.candidates.push_back({attribute, key_type()});
  }
  const std::size_t local_indexes = schema.sort_key && dice_.percent(60) ? dice_.between(1, 2) : 0;
  const std::size_t global_indexes = dice_.percent(80) ? dice_.between(1, 3) : 0;
  for (std::size_t i = 0; i < local_indexes + global_indexes; ++i) {
    schema.indexes.push_back(index(schema, i, i >= local_indexes));
  }
  return schema;
}

IndexSchema Generator::index(const TableSchema& schema, std::size_t number, bool is_global) {
  IndexSchema index;
  index.name = (is_global ? "global" : "local") + std::to_string(number);
  index.is_global = is_global;
  index.projection = dice_.any({ProjectionType::All, ProjectionType::KeysOnly,
                                ProjectionType::Include, ProjectionType::Include});
  if (index.projection == ProjectionType::Include) {
    std::set<std::string> names;
    for (std::size_t i = dice_.between(1, 6); i > 0; --i) {
      names.insert(dice_.any(ordinary_attributes()).first);
    }
    index.included.assign(names.begin(), names.end());
  }
  std::vector<KeyAttribute> keys = schema.candidates;
  dice_.shuffle(keys);
  if (!is_global) {
    index.partition_keys = {schema.partition_key};
    index.sort_keys = {keys[0]};
    return index;
  }
  // Sometimes the table's own keys the other way round.
  if (dice_.percent(20)) keys.insert(keys.begin(), schema.partition_key);
  if (schema.sort_key && dice_.percent(25)) keys.insert(keys.begin(), *schema.sort_key);
  const std::size_t partition_keys = dice_.percent(60) ? 1 : dice_.between(2, 3);
  const std::size_t sort_keys = dice_.percent(70) ? dice_.between(0, 1) : dice_.between(2, 3);
  index.partition_keys.assign(keys.begin(), keys.begin() + static_cast<long>(partition_keys));
  index.sort_keys.assign(keys.begin() + static_cast<long>(partition_keys),
                         keys.begin() + static_cast<long>(partition_keys + sort_keys));
  return index;
}

Value Generator::value(int depth_max) {
  return value_of(kAllTypes[dice_.below(kAllTypes.size())], depth_max);
}

Value Generator::value_of(Type type, int depth_max) {
  Value value = empty_of(type);
  switch (type) {
    case Type::S:
      value.text = dice_.any(strings());
      break;
    case Type::N:
      value.number = Decimal(dice_.any(numbers()));
      break;
    case Type::B:
      value.text = dice_.any(binaries());
      break;
    case Type::Bool:
      value.flag = dice_.percent(50);
      break;
    case Type::Null:
      break;
    case Type::SS:
    case Type::BS:
      for (std::size_t i = dice_.between(1, 4); i > 0; --i) {
        value.texts.insert(dice_.any(type == Type::SS ? strings() : binaries()));
      }
      break;
    case Type::NS:
      for (std::size_t i = dice_.between(1, 4); i > 0; --i) {
        value.numbers.insert(Decimal(dice_.any(numbers())));
      }
      break;
    case Type::L:
      for (std::size_t i = depth_max > 0 ? dice_.below(4) : 0; i > 0; --i) {
        value.list.push_back(this->value(depth_max - 1));
      }
      break;
    case Type::M:
      for (const auto& [name, usual] : kMembers) {
        if (depth_max <= 0 || dice_.percent(50)) continue;
        value.map[name] =
            dice_.percent(80) ? value_of(usual, depth_max - 1) : this->value(depth_max - 1);
      }
      break;
  }
  return value;
}

Value Generator::key_value(const std::string& attribute, Type type) {
  Value value = empty_of(type);
  switch (type) {
    case Type::N:
      value.number = Decimal(dice_.any(key_numbers()));
      break;
    case Type::B:
      value.text = dice_.any(key_binaries());
      break;
    default:
      value.text = dice_.any(key_strings());
      // Tables' own keys also longer than a page's key may be.
      if (value.text.size() > 100 && attribute == "pk") value.text.insert(0, 400, 'k');
      if (value.text.size() > 100 && attribute == "sk") value.text.insert(0, 200, 'k');
  }
  return value;
}

Value Generator::attribute_value(const TableSchema& schema, const std::string& attribute) {
  const auto definitions = schema.definitions();
  if (const auto key = definitions.find(attribute); key != definitions.end()) {
    return key_value(attribute, key->second);
  }
  for (const auto& [name, type] : schema.candidates) {
    if (name == attribute && dice_.percent(85)) return key_value(attribute, type);
  }
  for (const auto& [name, type] : ordinary_attributes()) {
    if (name == attribute && dice_.percent(85)) return value_of(type, 3);
  }
  return value(3);
}

Item Generator::key(const TableSchema& schema) {
  Item key;
  // A few partitions, so that they have several items.
  if (schema.sort_key && dice_.percent(schema.is_bulk ? 97 : 70)) {
    Value& value = key["pk"] = empty_of(schema.partition_key.type);
    const std::size_t choice = dice_.below(schema.is_bulk ? 1 : 3);
    value.text =
        schema.partition_key.type == Type::S ? key_strings()[choice] : key_binaries()[choice];
    if (schema.partition_key.type == Type::N) {
      value.text.clear();
      value.number = Decimal(key_numbers()[choice]);
    }
  } else {
    key["pk"] = key_value("pk", schema.partition_key.type);
  }
  if (!schema.sort_key) return key;
  Value& sort = key["sk"] = key_value("sk", schema.sort_key->type);
  // Enough items for a page.
  if (schema.is_bulk && dice_.percent(80)) {
    const std::size_t choice = dice_.below(26);
    if (sort.type == Type::N) {
      sort.number = Decimal::of(choice);
    } else {
      sort.text.assign(1, static_cast<char>('c' + choice));
    }
  }
  return key;
}

Item Generator::item(const TableSchema& schema) {
  Item item = key(schema);
  for (const auto& [name, type] : ordinary_attributes()) {
    if (dice_.percent(30)) item[name] = attribute_value(schema, name);
  }
  for (const std::string& name : index_attributes()) {
    if (dice_.percent(75)) item[name] = attribute_value(schema, name);
  }
  if (schema.is_bulk && dice_.percent(85)) {
    item["s2"] = Value::of_string(std::string(dice_.between(60'000, 120'000), 'x'));
  } else if (dice_.percent(4)) {
    item["s2"] = Value::of_string(std::string(dice_.between(900, 9'000), 'x'));
  }
  return item;
}

Scope Generator::scope(const TableModel& table, const IndexSchema* index,
                       const std::set<std::string>& banned) {
  Scope scope;
  const auto add = [&](const std::string& name) {
    if (banned.contains(name)) return;
    if (index == nullptr || table.is_projected(*index, name)) scope.names.push_back(name);
  };
  for (const auto& [name, type] : ordinary_attributes()) add(name);
  for (const std::string& name : index_attributes()) add(name);
  add("pk");
  if (table.schema().sort_key) add("sk");
  for (const auto& [name, type] : table.schema().definitions()) scope.keys.insert(name);
  return scope;
}

KeyCondition::Part Generator::key_part(const KeyAttribute& key, const Item* sample, bool is_equal) {
  const auto near = [&] {
    const bool from_sample = sample != nullptr && dice_.percent(80);
    return from_sample ? sample->at(key.name) : key_value(key.name, key.type);
  };
  KeyCondition::Part part{key.name, "EQ", {near()}};
  if (is_equal) return part;
  part.comparison = dice_.any({"EQ", "LT", "LE", "GT", "GE", "BETWEEN", "BEGINS_WITH"});
  if (part.comparison == "BETWEEN") {
    part.arguments.push_back(key_value(key.name, key.type));
    if (order_of(part.arguments[1], part.arguments[0]) < 0) {
      std::swap(part.arguments[0], part.arguments[1]);
    }
  } else if (part.comparison == "BEGINS_WITH") {
    if (key.type == Type::N) {
      part.comparison = "GE";
    } else {
      std::string& text = part.arguments[0].text;
      std::size_t length = dice_.between(1, text.size());
      // Whole characters only.
      const auto is_inside = [&text](std::size_t at) { return (text[at] & 0xC0) == 0x80; };
      while (key.type == Type::S && length < text.size() && is_inside(length)) ++length;
      text.resize(length);
    }
  }
  return part;
}

KeyCondition Generator::key_condition(const TableSchema& schema, const IndexSchema* index,
                                      const Item* sample) {
  std::vector<KeyAttribute> partition_keys{schema.partition_key};
  std::vector<KeyAttribute> sort_keys;
  if (schema.sort_key) sort_keys = {*schema.sort_key};
  if (index != nullptr) {
    partition_keys = index->partition_keys;
    sort_keys = index->sort_keys;
  }
  KeyCondition condition;
  for (const KeyAttribute& key : partition_keys) {
    condition.parts.push_back(key_part(key, sample, true));
  }
  const std::size_t used = dice_.percent(40) ? 0 : dice_.between(0, sort_keys.size());
  for (std::size_t i = 0; i < used; ++i) {
    condition.parts.push_back(key_part(sort_keys[i], sample, i + 1 < used));
  }
  return condition;
}

}  // namespace stator::model

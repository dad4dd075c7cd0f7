#include "server/cli/client/requests.h"

#include <algorithm>
#include <utility>

#include "protocol/json/json_writer.h"
#include "server/cli/client/key_value.h"
#include "server/data/transfer/table_scan.h"

namespace stator::client {

namespace {

// Writes the members of a body; the braces are left out, so that pages can add a member.
class Members {
 public:
  explicit Members(const std::string& table) { text("TableName", table); }
  Members() = default;

  void text(std::string_view name, std::string_view value) {
    std::string json;
    append_json_string(json, value);
    raw(name, json);
  }
  void raw(std::string_view name, std::string_view json) {
    if (!out_.empty()) out_ += ',';
    append_json_string(out_, name);
    out_ += ':';
    out_ += json;
  }
  void units(const RequestFlags& flags) {
    if (flags.wants_units) text("ReturnConsumedCapacity", "TOTAL");
  }
  void reading(const RequestFlags& flags) {
    if (flags.is_consistent) raw("ConsistentRead", "true");
    units(flags);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

using Text = tl::expected<std::string, std::string>;

Text typed(const data::TableInfo& info, const std::string& name, std::string_view word) {
  const auto type = info.types.find(name);
  return key_value({name, type == info.types.end() ? "S" : type->second}, word);
}

// The members of a request for one item: its table, and its key as {"pk":{"S":"a"},"sk":{"N":"1"}}.
tl::expected<Members, std::string> members_with_key(const std::string& table,
                                                    const data::TableInfo& info,
                                                    const KeyWords& words) {
  const bool has_sort = info.keys.size() > 1;
  if (has_sort && !words.sort) {
    return tl::unexpected("table '" + table + "' has the sort key '" + info.keys[1] +
                          "', its value is missing");
  }
  if (!has_sort && words.sort) {
    return tl::unexpected("table '" + table + "' has no sort key, '" + *words.sort +
                          "' is too much");
  }
  std::string key;
  for (const std::string& name : info.keys) {
    auto value = typed(info, name, &name == &info.keys.front() ? words.partition : *words.sort);
    if (!value) return tl::unexpected(std::move(value).error());
    key += key.empty() ? '{' : ',';
    append_json_string(key, name);
    key += ':';
    key += *value;
  }
  Members members{table};
  members.raw("Key", key + "}");
  return members;
}

const data::IndexInfo* find_index(const data::TableInfo& info, std::string_view name) {
  const auto found =
      std::find_if(info.indexes.begin(), info.indexes.end(),
                   [name](const data::IndexInfo& index) { return index.name == name; });
  return found == info.indexes.end() ? nullptr : &*found;
}

// The keys that a query's words are for: one partition key, and a sort key or none.
struct QueryKeys {
  std::string partition;
  std::string sort;
};

tl::expected<QueryKeys, std::string> keys_to_query(const std::string& table,
                                                   const data::TableInfo& info,
                                                   const std::string& index_name) {
  if (index_name.empty()) return QueryKeys{info.keys[0], info.keys.size() > 1 ? info.keys[1] : ""};
  const data::IndexInfo* const index = find_index(info, index_name);
  if (index == nullptr) {
    std::string text = "table '" + table + "' has no index '" + index_name + "'";
    for (const data::IndexInfo& other : info.indexes)
      text += (&other == &info.indexes.front() ? ", it has " : ", ") + other.name;
    return tl::unexpected(std::move(text));
  }
  if (index->partition_keys.size() != 1) {
    return tl::unexpected("index '" + index_name + "' has " +
                          std::to_string(index->partition_keys.size()) +
                          " partition keys; stator sql can name them all");
  }
  return QueryKeys{index->partition_keys[0],
                   index->sort_keys.empty() ? "" : index->sort_keys.front()};
}

tl::expected<void, std::string> add_sort(const data::TableInfo& info, const std::string& key,
                                         const SortCondition& condition, std::string& expression,
                                         std::string& names, std::string& values) {
  const auto type = info.types.find(key);
  if (condition.op == SortOperator::BeginsWith && type != info.types.end() && type->second == "N")
    return tl::unexpected("key '" + key + "' is of type N, and begins_with is for S and B");
  const auto value = typed(info, key, condition.value);
  if (!value) return tl::unexpected(value.error());
  expression += " AND " + sort_expression(condition, "#s");
  names += ",\"#s\":";
  append_json_string(names, key);
  values += ",\":s\":" + *value;
  if (condition.op != SortOperator::Between) return {};
  const auto upper = typed(info, key, condition.upper);
  if (!upper) return tl::unexpected(upper.error());
  values += ",\":t\":" + *upper;
  return {};
}

// Adds the members of `added`, an object, to those of `object`, which has no closing brace.
void merge(std::string& object, std::string_view added) {
  if (!added.empty()) object.append(",").append(added.substr(1, added.size() - 2));
}

}  // namespace

RequestPlan get_request(const std::string& table, const data::TableInfo& info,
                        const KeyWords& words, const RequestFlags& flags) {
  auto members = members_with_key(table, info, words);
  if (!members) return tl::unexpected(std::move(members).error());
  members->reading(flags);
  return Request{"GetItem", members->take(), "Item"};
}

RequestPlan delete_request(const std::string& table, const data::TableInfo& info,
                           const KeyWords& words, const RequestFlags& flags) {
  auto members = members_with_key(table, info, words);
  if (!members) return tl::unexpected(std::move(members).error());
  members->units(flags);
  return Request{"DeleteItem", members->take()};
}

RequestPlan query_request(const std::string& table, const data::TableInfo& info,
                          const QueryWords& words, const RequestFlags& flags) {
  const auto keys = keys_to_query(table, info, words.index);
  if (!keys) return tl::unexpected(keys.error());
  const auto partition = typed(info, keys->partition, words.partition);
  if (!partition) return tl::unexpected(partition.error());
  std::string expression = "#p = :p";
  std::string names = "{\"#p\":";
  append_json_string(names, keys->partition);
  std::string values = "{\":p\":" + *partition;
  if (words.sort) {
    if (keys->sort.empty()) {
      return tl::unexpected((words.index.empty() ? "table '" + table : "index '" + words.index) +
                            "' has no sort key for --sk");
    }
    auto added = add_sort(info, keys->sort, *words.sort, expression, names, values);
    if (!added) return tl::unexpected(std::move(added).error());
  }
  Members members{table};
  if (words.filter) {
    members.text("FilterExpression", words.filter->expression);
    merge(names, words.filter->names);
    merge(values, words.filter->values);
  }
  if (!words.index.empty()) members.text("IndexName", words.index);
  members.text("KeyConditionExpression", expression);
  members.raw("ExpressionAttributeNames", names + "}");
  members.raw("ExpressionAttributeValues", values + "}");
  if (words.is_descending) members.raw("ScanIndexForward", "false");
  members.reading(flags);
  return Request{"Query",      members.take(), "Items", "LastEvaluatedKey", "ExclusiveStartKey",
                 !words.filter};
}

Request scan_request(const std::string& table, const std::optional<FilterParts>& filter,
                     const RequestFlags& flags) {
  Members members{table};
  if (filter) {
    members.text("FilterExpression", filter->expression);
    if (!filter->names.empty()) members.raw("ExpressionAttributeNames", filter->names);
    if (!filter->values.empty()) members.raw("ExpressionAttributeValues", filter->values);
  }
  members.reading(flags);
  return {"Scan",  members.take(),      "Items", "LastEvaluatedKey", "ExclusiveStartKey",
          !filter, data::kScanPageItems};
}

Request put_request(const std::string& table, std::string_view item, const RequestFlags& flags) {
  Members members{table};
  members.raw("Item", item);
  members.units(flags);
  return {"PutItem", members.take()};
}

Request sql_request(std::string_view statement, const RequestFlags& flags) {
  Members members;
  members.text("Statement", statement);
  members.reading(flags);
  return {"ExecuteStatement", members.take(), "Items", "NextToken", "NextToken"};
}

Request list_request() {
  return {"ListTables", {}, "TableNames", "LastEvaluatedTableName", "ExclusiveStartTableName"};
}

std::vector<std::string> leading_attributes(const data::TableInfo& info, std::string_view index) {
  std::vector<std::string> names = info.keys;
  const auto add = [&names](const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
      if (std::find(names.begin(), names.end(), key) == names.end()) names.push_back(key);
    }
  };
  if (const data::IndexInfo* const found = find_index(info, index)) {
    add(found->partition_keys);
    add(found->sort_keys);
  }
  return names;
}

}  // namespace stator::client

// Key schemas, indexes and attribute definitions of a table to be created: the checks of
// CreateTable's steps 4 to 7, in the service's order (conformance/observed/errors.md 12.1).
#include <algorithm>
#include <string>
#include <vector>

#include "engine/tables/table_definition.h"
#include "protocol/errors/rule.h"
#include "protocol/service/limits.h"
#include "protocol/service/wording.h"
#include "protocol/shapes/shape.h"

namespace stator {

Names names_of(std::span<const JsonNode> nodes) {
  Names names;
  for (const JsonNode& node : nodes) names.push_back(*string_member(node, "AttributeName"));
  return names;
}

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

namespace {

std::string printed(const Names& names) {
  std::string text = "[";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) text += ", ";
    text += names[i];
  }
  return text + "]";
}

bool is_hash(const JsonNode& element) { return *string_member(element, "KeyType") == "HASH"; }

Error wrong_key_type(std::string_view place, std::string_view type) {
  return Error::validation(std::string("Invalid KeySchema: The ")
                               .append(place)
                               .append(" KeySchemaElement is not a ")
                               .append(type)
                               .append(" key type"))
      .with_rule(Rule::KeySchemaTypes, {place, type});
}

// One HASH and at most one RANGE: tables and local indexes.
Result<void> check_types_of_two(std::span<const JsonNode> schema) {
  if (!is_hash(schema[0])) return wrong_key_type("first", "HASH");
  if (schema.size() > 1 && is_hash(schema[1])) {
    return wrong_key_type("second", "RANGE");
  }
  return {};
}

// Up to four HASH, then up to four RANGE elements: global indexes.
Result<void> check_types_of_many(std::span<const JsonNode> schema) {
  if (!is_hash(schema[0])) return wrong_key_type("first", "HASH");
  const auto first_range = std::find_if_not(schema.begin(), schema.end(), is_hash);
  if (std::any_of(first_range, schema.end(), is_hash)) {
    return invalid_parameter(
        "All HASH key attributes must precede RANGE key attributes in the KeySchema");
  }
  const auto hash_count = static_cast<std::size_t>(first_range - schema.begin());
  if (hash_count > limits::kIndexHashKeysMax) {
    return invalid_parameter(
        "The KeySchema exceeds the maximum allowed number of HASH key attributes");
  }
  if (schema.size() - hash_count > limits::kIndexRangeKeysMax) {
    return invalid_parameter(
        "The KeySchema exceeds the maximum allowed number of RANGE key attributes");
  }
  return {};
}

Result<void> check_defined(const Names& keys, const Names& definitions) {
  if (std::all_of(keys.begin(), keys.end(),
                  [&](std::string_view key) { return contains(definitions, key); }))
    return {};
  const std::string wanted = printed(keys);
  const std::string given = printed(definitions);
  return invalid_parameter(
             "Some index key attributes are not defined in AttributeDefinitions. Keys: " + wanted +
             ", AttributeDefinitions: " + given)
      .with_rule(Rule::DefinedKeys, {wanted, given});
}

Result<void> check_distinct(const Names& keys) {
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (std::find(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(i), keys[i]) ==
        keys.begin() + static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    if (keys.size() > 2)
      return invalid_parameter("The KeySchema contains multiple key attributes with the same name");
    return Error::validation(
        "Both the Hash Key and the Range Key element in the KeySchema have the same name");
  }
  return {};
}

Error wrong_projection(std::string_view type, std::string_view names) {
  return invalid_parameter(std::string("ProjectionType is ")
                               .append(type)
                               .append(", but NonKeyAttributes is ")
                               .append(names))
      .with_rule(Rule::NonKeyAttributes, {type, names});
}

Result<void> check_projection(const JsonNode& index) {
  const JsonNode& projection = *index.find("Projection");
  const auto type = string_member(projection, "ProjectionType");
  if (!type) return invalid_parameter("Unknown ProjectionType: null");
  const JsonNode* names = projection.find("NonKeyAttributes");
  if (*type != "INCLUDE" && names != nullptr) {
    return wrong_projection(*type, "specified");
  }
  if (*type == "INCLUDE" && names == nullptr) return wrong_projection(*type, "not specified");
  Names seen;
  for (const JsonNode& name : list_member(projection, "NonKeyAttributes")) {
    if (contains(seen, name.text()))
      return invalid_parameter("Duplicate element in NonKeyAttributes: " +
                               std::string(name.text()));
    seen.push_back(name.text());
  }
  return {};
}

// Holds the data that the indexes of one request share.
class Checker {
 public:
  Checker(std::span<const JsonNode> table_schema, Names definitions, BillingMode billing_mode)
      : table_schema_(table_schema),
        definitions_(std::move(definitions)),
        billing_mode_(billing_mode) {}

  Result<void> check_table(bool has_indexes) {
    const Names keys = names_of(table_schema_);
    if (keys.size() > definitions_.size()) {
      return Error::validation("Invalid KeySchema: Some index key attribute have no definition");
    }
    STATOR_CHECK(check_defined(keys, definitions_));
    STATOR_CHECK(check_distinct(keys));
    STATOR_CHECK(check_types_of_two(table_schema_));
    for (const std::string_view name : definitions_) {
      if (std::count(definitions_.begin(), definitions_.end(), name) == 1) continue;
      const std::string text = "Attribute Name is duplicated: " + std::string(name);
      return has_indexes ? invalid_parameter(text) : Error::validation(text);
    }
    if (!has_indexes && keys.size() != definitions_.size()) {
      return invalid_parameter(
                 "Number of attributes in KeySchema does not exactly match number of attributes "
                 "defined in AttributeDefinitions")
          .with_rule(Rule::DefinitionCount);
    }
    note_used(keys);
    return {};
  }

  Result<void> check_local(const JsonNode& index) {
    const std::string name(*string_member(index, "IndexName"));
    const auto schema = list_member(index, "KeySchema");
    const Names keys = names_of(schema);
    STATOR_CHECK(check_defined(keys, definitions_));
    STATOR_CHECK(check_distinct(keys));
    STATOR_CHECK(check_types_of_two(schema));
    if (keys.size() < 2)
      return invalid_parameter("Index KeySchema does not have a range key for index: " + name);
    const std::string_view table_hash = *string_member(table_schema_[0], "AttributeName");
    if (keys[0] != table_hash) {
      return invalid_parameter(
          "Index KeySchema does not have the same leading hash key as table KeySchema for index: " +
          name + ". index hash key: " + std::string(keys[0]) +
          ", table hash key: " + std::string(table_hash));
    }
    STATOR_CHECK(check_projection(index));
    note_used(keys);
    return check_name(name, index);
  }

  Result<void> check_global(const JsonNode& index) {
    const std::string name(*string_member(index, "IndexName"));
    const auto schema = list_member(index, "KeySchema");
    const Names keys = names_of(schema);
    STATOR_CHECK(check_defined(keys, definitions_));
    STATOR_CHECK(check_distinct(keys));
    STATOR_CHECK(check_types_of_many(schema));
    STATOR_CHECK(check_projection(index));
    STATOR_CHECK(check_index_throughput(name, index));
    note_used(keys);
    return check_name(name, index);
  }

  Result<void> check_all_used() const {
    if (std::all_of(definitions_.begin(), definitions_.end(),
                    [&](std::string_view name) { return contains(used_, name); })) {
      return {};
    }
    const std::string wanted = printed(used_);
    const std::string given = printed(definitions_);
    return invalid_parameter("Some AttributeDefinitions are not used. AttributeDefinitions: " +
                             given + ", keys used: " + wanted)
        .with_rule(Rule::DefinedKeys, {wanted, given});
  }

 private:
  Result<void> check_index_throughput(const std::string& name, const JsonNode& index) const {
    const JsonNode* throughput = index.find("ProvisionedThroughput");
    if (billing_mode_ == BillingMode::PayPerRequest && throughput != nullptr) {
      return invalid_parameter("ProvisionedThroughput should not be specified for index: " + name +
                               " when BillingMode is PAY_PER_REQUEST");
    }
    if (billing_mode_ == BillingMode::Provisioned && throughput == nullptr) {
      return invalid_parameter("ProvisionedThroughput is not specified for index: " + name);
    }
    STATOR_CHECK(check_throughput_bounds(throughput));
    const std::string of = "index " + name;
    STATOR_CHECK(check_on_demand(index.find("OnDemandThroughput"), of, /*allows_removal=*/false));
    return check_warm(index.find("WarmThroughput"), of, billing_mode_,
                      build_warm(nullptr, billing_mode_, build_throughput(throughput)));
  }

  Result<void> check_name(const std::string& name, const JsonNode& index) {
    if (contains(index_names_, name)) return invalid_parameter("Duplicate index name: " + name);
    index_names_.push_back(*string_member(index, "IndexName"));
    return {};
  }

  void note_used(const Names& keys) {
    for (const std::string_view key : keys) {
      if (!contains(used_, key)) used_.push_back(key);
    }
  }

  std::span<const JsonNode> table_schema_;
  Names definitions_;
  BillingMode billing_mode_;
  Names index_names_;
  Names used_;
};

Result<void> check_non_key_attribute_count(std::span<const JsonNode> local,
                                           std::span<const JsonNode> global) {
  std::size_t count = 0;
  for (const auto indexes : {local, global}) {
    for (const JsonNode& index : indexes)
      count += list_member(*index.find("Projection"), "NonKeyAttributes").size();
  }
  if (count <= limits::kNonKeyAttributesPerTableMax) return {};
  // Our own wording: none is recorded.
  return invalid_parameter("Number of NonKeyAttributes exceeds per-table limit of " +
                           std::to_string(limits::kNonKeyAttributesPerTableMax));
}

}  // namespace

Result<void> check_key_definitions(const JsonNode& body, BillingMode billing_mode) {
  const JsonNode* local_list = body.find("LocalSecondaryIndexes");
  const JsonNode* global_list = body.find("GlobalSecondaryIndexes");
  const auto local = list_member(body, "LocalSecondaryIndexes");
  const auto global = list_member(body, "GlobalSecondaryIndexes");
  const auto schema = list_member(body, "KeySchema");
  Checker checker(schema, names_of(list_member(body, "AttributeDefinitions")), billing_mode);

  STATOR_CHECK(checker.check_table(local_list != nullptr || global_list != nullptr));
  if (local_list != nullptr && local.empty())
    return invalid_parameter("List of LocalSecondaryIndexes is empty");
  if (local_list != nullptr && schema.size() < 2) {
    return invalid_parameter(
        "Table KeySchema does not have a range key, which is required when specifying a "
        "LocalSecondaryIndex");
  }
  for (const JsonNode& index : local) STATOR_CHECK(checker.check_local(index));
  if (local.size() > limits::kLocalIndexesMax) {
    return invalid_parameter("Number of LocalSecondaryIndexes exceeds per-table limit of " +
                             std::to_string(limits::kLocalIndexesMax));
  }
  if (global_list != nullptr && global.empty())
    return invalid_parameter("List of GlobalSecondaryIndexes is empty");
  for (const JsonNode& index : global) STATOR_CHECK(checker.check_global(index));
  if (global.size() > limits::kGlobalIndexesMax) {
    return invalid_parameter("GlobalSecondaryIndex count exceeds the per-table limit of " +
                             std::to_string(limits::kGlobalIndexesMax));
  }
  STATOR_CHECK(check_non_key_attribute_count(local, global));
  return checker.check_all_used();
}

Result<void> check_new_global_index(const JsonNode& index, const Names& definitions,
                                    BillingMode billing_mode) {
  return Checker({}, definitions, billing_mode).check_global(index);
}

}  // namespace stator

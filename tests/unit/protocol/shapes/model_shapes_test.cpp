// The tables written from the API model: whole, sound, and as the overlay says where the service
// differs from its model.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "protocol/json/json_reader.h"
#include "protocol/model/shapes.h"

using namespace stator;

namespace {

using Kind = TypeSpec::Kind;

// What the checks rely on, and that nobody could say by hand for some 300 tables.
void check_sound(const TypeSpec& type, std::set<const TypeSpec*>& seen) {
  if (!seen.insert(&type).second) return;
  const bool is_structure = type.kind == Kind::Structure;
  const bool is_collection = type.kind == Kind::List || type.kind == Kind::Map;
  CAPTURE(type.name);
  CHECK(type.min <= type.max);
  CHECK((is_structure || type.kind == Kind::AttributeValue) == !type.name.empty());
  CHECK((is_structure || type.fields.empty()));
  CHECK(is_collection == (type.element != nullptr));
  CHECK((type.kind == Kind::Map || !(type.table_keys || type.keys_yield)));
  CHECK((type.kind == Kind::String ||
         !(type.name_pattern || type.table_arn_too || !type.values.empty())));
  CHECK((!type.values.empty() || type.enveloped_enum_text.empty()));
  CHECK(std::set(type.values.begin(), type.values.end()).size() == type.values.size());
  std::set<std::string_view> names;
  for (const FieldSpec& field : type.fields) {
    CHECK(names.insert(field.name).second);
    check_sound(*field.type, seen);
  }
  if (is_collection) check_sound(*type.element, seen);
}

const TypeSpec& member(const TypeSpec& shape, std::string_view name) {
  const auto found = std::find_if(shape.fields.begin(), shape.fields.end(),
                                  [&](const FieldSpec& field) { return field.name == name; });
  REQUIRE(found != shape.fields.end());
  return *found->type;
}

std::string violations(std::string body, const TypeSpec& shape,
                       Wording wording = Wording::of(Profile::Classic, Layer::Classic)) {
  Arena arena;
  const auto root = read_json(body, arena);
  REQUIRE(root);
  REQUIRE(check_types(*root, shape));
  const auto result = check_constraints(*root, shape, wording);
  return result ? "" : result.error().message();
}

}  // namespace

TEST_CASE("model: every operation has a sound shape", "[protocol]") {
  std::set<const TypeSpec*> seen;
  std::set<std::string_view> operations;
  std::size_t of_streams = 0;
  for (const model::Request& request : model::kRequests) {
    CAPTURE(request.operation);
    CHECK(request.shape->kind == Kind::Structure);
    CHECK(operations.insert(request.operation).second);
    of_streams += request.target_prefix == "DynamoDBStreams_20120810" ? 1 : 0;
    check_sound(*request.shape, seen);
  }
  CHECK(model::kRequests.size() == 66);
  CHECK(of_streams == 4);
  CHECK(seen.size() > 200);
}

TEST_CASE("model: the violations of a request come in the service's order", "[protocol]") {
  CHECK(violations(R"({"ReturnValues":"x"})", model::kPutItemInput) ==
        "3 validation errors detected: "
        "Value null at 'tableName' failed to satisfy constraint: Member must not be null; "
        "Value null at 'item' failed to satisfy constraint: Member must not be null; "
        "Value 'x' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value "
        "set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]");
  CHECK(violations(R"({"TableName":"T","ReturnValues":"x","ReturnConsumedCapacity":"x"})",
                   model::kUpdateItemInput, Wording::of(Profile::Current, Layer::Enveloped)) ==
        "1 validation error detected: Failed to satisfy constraint: Member must satisfy enum value "
        "set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]");
  CHECK(violations(R"({"TransactItems":[],"ReturnConsumedCapacity":"x"})",
                   model::kTransactWriteItemsInput) ==
        "2 validation errors detected: Value '[]' at 'transactItems' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1; Value 'x' at 'returnConsumedCapacity' "
        "failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]");
}

TEST_CASE("model: a table's name has one character or three, and may be an ARN", "[protocol]") {
  const TypeSpec& of_items = member(model::kGetItemInput, "TableName");
  const TypeSpec& of_tables = member(model::kDescribeTableInput, "TableName");
  CHECK(of_items.min == 1);
  CHECK(of_items.classic_min == 3);
  CHECK(of_tables.min == 3);
  CHECK(of_tables.classic_min == TypeSpec::kNoMin);
  for (const TypeSpec* name : {&of_items, &of_tables}) {
    CHECK(name->max == 255);
    CHECK(name->name_pattern);
    CHECK(name->table_arn_too);
  }
  CHECK(member(model::kBatchGetItemInput, "RequestItems").table_keys);
  CHECK_FALSE(member(model::kListTablesInput, "ExclusiveStartTableName").table_arn_too);
}

TEST_CASE("model: variants differ where the overlay says so", "[protocol]") {
  CHECK(member(model::kBatchWriteItemInput, "RequestItems").min == TypeSpec::kNoMin);
  CHECK(member(model::kBatchGetItemInput, "RequestItems").min == 1);
  CHECK(member(model::kClassicBatchGetItemInput, "RequestItems").min == TypeSpec::kNoMin);
  CHECK(member(model::kQueryInput, "Limit").min_as_model);
  CHECK_FALSE(member(model::kScanInput, "Limit").min_as_model);
  CHECK(member(model::kCreateTableInput, "KeySchema").max == 2);
  CHECK(model::kGlobalSecondaryIndex.fields[2].type->max == TypeSpec::kNoMax);
  CHECK(model::kUpdateGlobalSecondaryIndexAction.fields.size() == 4);
  CHECK(model::kClassicUpdateGlobalSecondaryIndexAction.fields.size() == 2);
  CHECK(member(model::kTagResourceInput, "ResourceArn").max == TypeSpec::kNoMax);
  CHECK(member(model::kCreateTableInput, "TableClass").values.empty());
  CHECK(member(model::kCreateTableInput, "VectorIndexes").element->fields.empty());
  CHECK(member(model::kGetShardIteratorInput, "Timestamp").kind == Kind::Timestamp);
}

#include "server/data/recognition/item_form.h"

#include <algorithm>
#include <array>
#include <span>

#include "server/data/transfer/json_text.h"

namespace stator::data {

namespace {

using Kind = JsonNode::Kind;
using Names = std::span<const std::string_view>;

// What stands beside an item in the input of put-item, and in a put of a transaction.
constexpr std::array<std::string_view, 12> kPutMembers = {"Item",
                                                          "TableName",
                                                          "ConditionExpression",
                                                          "ExpressionAttributeNames",
                                                          "ExpressionAttributeValues",
                                                          "ReturnConsumedCapacity",
                                                          "ReturnItemCollectionMetrics",
                                                          "ReturnValues",
                                                          "ReturnValuesOnConditionCheckFailure",
                                                          "Expected",
                                                          "ConditionalOperator",
                                                          "ClientRequestToken"};
constexpr std::array<std::string_view, 4> kAnswerMembers = {
    "ConsumedCapacity", "ItemCollectionMetrics", "$metadata", "ResponseMetadata"};

// The member `name`, an object, if `names` has all others.
const JsonNode* wrapped_in(const JsonNode& object, std::string_view name, Names names) {
  const JsonNode* const wrapped = member_in(object, name, Kind::Object);
  const auto members = object.members();
  const bool is_alone = std::all_of(members.begin(), members.end(), [&](const JsonMember& member) {
    return member.name == name || std::find(names.begin(), names.end(), member.name) != names.end();
  });
  return is_alone ? wrapped : nullptr;
}

// The keys and images of a record, of a stream or of an incremental export.
ItemForm form_of_change(const JsonNode& change, std::string_view what) {
  if (const JsonNode* const image = member_in(change, "NewImage", Kind::Object))
    return {*image, false, what, {}};
  const JsonNode* const keys = member_in(change, "Keys", Kind::Object);
  return keys == nullptr ? ItemForm{change, false, what, "it is a record without keys"}
                         : ItemForm{*keys, true, what, {}};
}

ItemForm form_of_record(const JsonNode& record, const JsonNode& change) {
  constexpr std::string_view kWhat = "records of a stream";
  const bool is_removal = text_in(record, "eventName") == "REMOVE";
  if (is_removal || change.has("NewImage")) return form_of_change(change, kWhat);
  return {record, false, kWhat, "its record has no new image"};
}

ItemForm form_of_request(const JsonNode& object) {
  constexpr std::string_view kBatch = "input of batch-write-item";
  constexpr std::string_view kTransaction = "input of transact-write-items";
  if (const JsonNode* const put = wrapped_in(object, "PutRequest", {}))
    if (const JsonNode* const item = wrapped_in(*put, "Item", {}))
      return {*item, false, kBatch, {}};
  if (const JsonNode* const put = wrapped_in(object, "Put", {}))
    if (const JsonNode* const item = wrapped_in(*put, "Item", kPutMembers))
      return {*item, false, kTransaction, {}};
  for (const std::string_view name : {"DeleteRequest", "Delete"}) {
    const JsonNode* const request = wrapped_in(object, name, {});
    if (request == nullptr) continue;
    if (const JsonNode* const key = wrapped_in(*request, "Key", kPutMembers))
      return {*key, true, name == "Delete" ? kTransaction : kBatch, {}};
  }
  for (const std::string_view name : {"Update", "ConditionCheck"}) {
    if (const JsonNode* const request = wrapped_in(object, name, {});
        request != nullptr && request->has("Key"))
      return {object, false, kTransaction, "a request " + std::string(name) + " has no item"};
  }
  return {};
}

}  // namespace

ItemForm item_form_of(const JsonNode& object, const std::vector<std::string>& keys) {
  if (has_keys(object, keys)) return {object, false, {}, {}};
  if (ItemForm form = form_of_request(object); !form.what.empty()) return form;
  if (const JsonNode* const change = member_in(object, "dynamodb", Kind::Object))
    return form_of_record(object, *change);
  if (object.has("Metadata") && object.has("Keys"))
    return form_of_change(object, "records of an incremental export");
  if (const JsonNode* const item = wrapped_in(object, "Attributes", kAnswerMembers);
      item != nullptr && !is_typed_item(object))
    return {*item, false, "output of update-item", {}};
  // {"Item":{"M":{…}}} is an item with an attribute Item.
  const JsonNode* const item = wrapped_in(object, "Item", kPutMembers);
  if (item != nullptr && (is_typed_item(*item) || !is_typed_item(object)))
    return {*item, false, object.members().size() > 1 ? "input of put-item" : "", {}};
  const JsonNode* const answer = wrapped_in(object, "Item", kAnswerMembers);
  if (answer != nullptr && object.members().size() > 1)
    return {*answer, false, "output of get-item", {}};
  return {object, false, {}, {}};
}

bool is_table_description(const JsonNode& object, const std::vector<std::string>& keys) {
  return !has_keys(object, keys) && member_in(object, "TableName", Kind::String) != nullptr &&
         member_in(object, "KeySchema", Kind::Array) != nullptr &&
         member_in(object, "AttributeDefinitions", Kind::Array) != nullptr;
}

bool has_keys(const JsonNode& object, const std::vector<std::string>& keys) {
  return !keys.empty() && std::all_of(keys.begin(), keys.end(), [&object](const std::string& key) {
    return object.has(key);
  });
}

}  // namespace stator::data

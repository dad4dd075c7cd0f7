#include "server/data/recognition/json_form.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "server/data/recognition/item_form.h"
#include "server/data/transfer/json_text.h"

namespace stator::data {

namespace {

using Kind = JsonNode::Kind;
using Names = std::span<const std::string_view>;

bool is_one_of(std::string_view name, Names names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_only(const JsonNode& object, Names names) {
  const auto members = object.members();
  return std::all_of(members.begin(), members.end(),
                     [names](const JsonMember& member) { return is_one_of(member.name, names); });
}

// The first element; none if the node is no array or an empty one.
const JsonNode* first_in(const JsonNode& node) {
  return node.kind() == Kind::Array && !node.elements().empty() ? &node.elements().front()
                                                                : nullptr;
}

// A plain item may have an attribute Items too. So the array must begin with a typed item, or be
// empty beside members that only an answer has.
bool is_answer(const JsonNode& object) {
  constexpr std::array<std::string_view, 8> kMembers = {
      "Count",     "ScannedCount", "LastEvaluatedKey", "ConsumedCapacity",
      "NextToken", "Items",        "$metadata",        "ResponseMetadata"};
  const JsonNode* const items = member_in(object, "Items", Kind::Array);
  if (items == nullptr || !has_only(object, kMembers)) return false;
  const JsonNode* const first = first_in(*items);
  return first == nullptr || is_typed_item(*first);
}

// Whether every member is an array, and there is one.
bool has_arrays_alone(const JsonNode& object) {
  const auto members = object.members();
  return object.kind() == Kind::Object && !members.empty() &&
         std::all_of(members.begin(), members.end(),
                     [](const JsonMember& member) { return member.value.kind() == Kind::Array; });
}

bool has_requests(const JsonNode& object) {
  constexpr std::array<std::string_view, 2> kRequests = {"PutRequest", "DeleteRequest"};
  if (!has_arrays_alone(object)) return false;
  const auto members = object.members();
  return std::any_of(members.begin(), members.end(), [&](const JsonMember& member) {
    const JsonNode* const first = first_in(member.value);
    return first != nullptr && first->kind() == Kind::Object && first->members().size() == 1 &&
           has_only(*first, kRequests);
  });
}

// Of tables' lists: `table` if it is one of several.
std::string chosen_table(const JsonNode& lists, std::string_view table) {
  return std::string(lists.members().size() > 1 && lists.has(table) ? table : "");
}

std::optional<JsonForm> form_with_tables(const JsonNode& object, std::string_view table) {
  constexpr std::array<std::string_view, 5> kAnswers = {
      "Responses", "UnprocessedKeys", "ConsumedCapacity", "$metadata", "ResponseMetadata"};
  if (has_requests(object))
    return JsonForm{JsonForm::Kind::Requests, "", true, chosen_table(object, table)};
  const JsonNode* const requests = object.find("RequestItems");
  if (requests != nullptr && has_requests(*requests)) {
    return JsonForm{JsonForm::Kind::Requests, "RequestItems", true, chosen_table(*requests, table)};
  }
  const JsonNode* const answers = object.find("Responses");
  if (answers != nullptr && has_only(object, kAnswers) && has_arrays_alone(*answers))
    return JsonForm{JsonForm::Kind::Answers, "Responses", true, chosen_table(*answers, table)};
  return std::nullopt;
}

// Whether the first element of a list is an item.
bool begins_list(const JsonNode& first, const std::vector<std::string>& keys) {
  if (first.kind() != Kind::Object) return false;
  const ItemForm form = item_form_of(first, keys);
  return keys.empty() || !form.what.empty() || has_keys(form.item, keys);
}

// {"users":[{…}]}: of all members one is an array with items. Alone it may be empty.
std::optional<JsonForm> form_with_list(const JsonNode& object,
                                       const std::vector<std::string>& keys) {
  const JsonMember* found = nullptr;
  for (const JsonMember& member : object.members()) {
    const JsonNode* const first = first_in(member.value);
    if (first == nullptr || first->kind() != Kind::Object) continue;
    if (found != nullptr) return std::nullopt;
    found = &member;
  }
  const bool is_empty_list = object.members().size() == 1 &&
                             object.members().front().value.kind() == Kind::Array &&
                             object.members().front().value.elements().empty();
  if (is_empty_list) found = &object.members().front();
  if (found == nullptr) return std::nullopt;
  if (!is_empty_list && !begins_list(*first_in(found->value), keys)) return std::nullopt;
  return JsonForm{JsonForm::Kind::List, std::string(found->name), false, ""};
}

}  // namespace

JsonForm form_of(const JsonNode& sample, const std::vector<std::string>& keys,
                 std::string_view table) {
  if (sample.kind() != Kind::Object || has_keys(sample, keys)) return {};
  if (is_answer(sample)) return {JsonForm::Kind::Answer, "Items", false, ""};
  if (auto form = form_with_tables(sample, table)) return *std::move(form);
  if (auto form = form_with_list(sample, keys)) return *std::move(form);
  return {};
}

std::string form_text(const JsonForm& form) {
  switch (form.kind) {
    case JsonForm::Kind::Item:
      return {};
    case JsonForm::Kind::Answer:
      return "output of scan or query";
    case JsonForm::Kind::Answers:
      return "output of batch-get-item";
    case JsonForm::Kind::Requests:
      return "input of batch-write-item";
    case JsonForm::Kind::List:
      break;
  }
  return "the list '" + form.member + "'";
}

}  // namespace stator::data

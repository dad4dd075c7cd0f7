// Hints about keys: what the table's are, and what was given instead.
#include <algorithm>

#include "server/explain/hints.h"
#include "server/explain/schema_text.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

constexpr std::string_view kWrongKey[] = {
    "The provided key element does not match the schema",
    "The number of conditions on the keys is invalid",
    "Type mismatch for key",
    "Missing the key",
    "Type mismatch for Index Key",
    "Type mismatch for Range Key",
};
constexpr std::string_view kWrongKeyCondition[] = {
    "Query condition missed key schema element",
    "Query key condition not supported",
    "Invalid KeyConditionExpression",
    "Either the KeyConditions or KeyConditionExpression",
    "Condition parameter type does not match schema type",
    "Number of key conditions"};
constexpr std::size_t kMembersTold = 6;

template <std::size_t kCount>
bool tells_one_of(const Hinted& hinted, const std::string_view (&texts)[kCount]) {
  return std::any_of(std::begin(texts), std::end(texts),
                     [&hinted](std::string_view text) { return hinted.tells(text); });
}

// "pk (N)" for {"pk": {"N": "1"}}; of an item only what the table has as a key.
std::string given_text(const JsonNode& attributes, const Table* only_keys_of) {
  std::string text;
  std::size_t told = 0;
  for (const JsonMember& member : attributes.members()) {
    if (only_keys_of != nullptr && only_keys_of->partition_key.name != member.name &&
        (!only_keys_of->sort_key || only_keys_of->sort_key->name != member.name))
      continue;
    if (told++ == kMembersTold) break;
    if (!text.empty()) text += " and ";
    text += member.name;
    const bool has_type =
        member.value.kind() == JsonNode::Kind::Object && !member.value.members().empty();
    if (has_type) text.append(" (").append(member.value.members().front().name).append(")");
  }
  return text.empty() ? "neither of them" : text;
}

}  // namespace

void hint_at_keys(const Hinted& hinted, std::vector<std::string>& hints) {
  if (hinted.table == nullptr || !tells_one_of(hinted, kWrongKey)) return;
  std::string hint = "The key of table '" + hinted.table->name + "' is " + key_text(*hinted.table);
  if (hinted.tells("Index Key")) hint = key_choices_text(*hinted.table);
  const JsonNode* const key = hinted.member("Key");
  const JsonNode* const item = hinted.member("Item");
  if (key != nullptr && key->kind() == JsonNode::Kind::Object) {
    hint += "; Key has " + given_text(*key, nullptr);
  } else if (item != nullptr && item->kind() == JsonNode::Kind::Object) {
    hint += "; of these Item has " + given_text(*item, hinted.table);
  }
  hints.push_back(std::move(hint));
}

void hint_at_key_condition(const Hinted& hinted, std::vector<std::string>& hints) {
  if (hinted.table == nullptr || hinted.text(Part::Operation) != "Query" ||
      !tells_one_of(hinted, kWrongKeyCondition))
    return;
  hints.push_back("A Query gives the partition key with = and may narrow the sort key. " +
                  key_choices_text(*hinted.table));
  if (hinted.asked == nullptr) return;
  const auto attributes = equal_attributes(*hinted.asked, "KeyConditionExpression");
  const auto choices = key_choices(*hinted.table);
  const KeyChoice* const fitting = choice_for(choices, attributes);
  if (fitting == nullptr || fitting->index_name.empty()) return;
  hints.push_back("This condition fits index " + std::string(fitting->index_name) +
                  ": send IndexName=" + std::string(fitting->index_name));
}

void hint_at_filtered_key(const Hinted& hinted, std::vector<std::string>& hints) {
  constexpr std::string_view kText =
      "Filter Expression can only contain non-primary key attributes: Primary key attribute: ";
  if (!hinted.tells(kText)) return;
  const std::string_view message = hinted.text(Part::Message);
  const std::string key(message.substr(message.find(kText) + kText.size()));
  hints.push_back(key +
                  " is a key of what is queried: say it in KeyConditionExpression instead of "
                  "FilterExpression");
}

}  // namespace stator

// Hints about keys: what the table's are, and what was given instead.
#include <algorithm>
#include <utility>

#include "engine/call/call.h"
#include "engine/operations/operation_table.h"
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

template <std::size_t kCount>
bool tells_one_of(const Hinted& hinted, const std::string_view (&texts)[kCount]) {
  return std::any_of(std::begin(texts), std::end(texts),
                     [&hinted](std::string_view text) { return hinted.tells(text); });
}

// Those of the table, and of its index when it is about that.
std::vector<std::string_view> names_of_keys(const Table& table, std::string_view index_name) {
  std::vector<std::string_view> names;
  for (const KeyChoice& choice : key_choices(table)) {
    if (!choice.index_name.empty() && choice.index_name != index_name) continue;
    for (const auto keys : {choice.partition_keys, choice.sort_keys})
      for (const KeyAttribute& key : keys) names.emplace_back(key.name);
  }
  return names;
}

// Attributes of a request beside the table they are for. What does not fit is told: a key has just
// the table's key attributes, an item has them among others.
struct Candidate {
  std::string_view table_name;
  const JsonNode* attributes;  // nullptr or of any kind
  bool is_item;
};

bool is_wrong(const Table& table, const Candidate& candidate) {
  const JsonNode* const attributes = candidate.attributes;
  if (attributes == nullptr || attributes->kind() != JsonNode::Kind::Object) return false;
  const std::string misfit = first_misfit(table, *attributes);
  const bool is_key =
      misfit == table.partition_key.name || (table.sort_key && misfit == table.sort_key->name);
  return candidate.is_item ? is_key : !misfit.empty();
}

const JsonNode* member_of(const JsonNode& object, std::string_view name) {
  return object.kind() == JsonNode::Kind::Object ? object.find(name) : nullptr;
}

// Of one table of a batch: its keys to get, or its puts and deletes.
void collect_of_batch(const JsonMember& table, std::vector<Candidate>& candidates) {
  const JsonNode* list = &table.value;
  if (list->kind() == JsonNode::Kind::Object) list = list->find("Keys");
  if (list == nullptr || list->kind() != JsonNode::Kind::Array) return;
  for (const JsonNode& element : list->elements()) {
    const JsonNode* const put = member_of(element, "PutRequest");
    const JsonNode* const deletion = member_of(element, "DeleteRequest");
    if (put != nullptr) {
      candidates.push_back({table.name, member_of(*put, "Item"), true});
    } else if (deletion != nullptr) {
      candidates.push_back({table.name, member_of(*deletion, "Key"), false});
    } else {
      candidates.push_back({table.name, &element, false});
    }
  }
}

// "by_mail" of "... IndexName: by_mail"
std::string_view index_told(std::string_view message) {
  constexpr std::string_view kMark = " IndexName: ";
  const std::size_t at = message.find(kMark);
  return at == std::string_view::npos ? std::string_view() : message.substr(at + kMark.size());
}

}  // namespace

GivenKey wrong_key(const Hinted& hinted) {
  std::vector<Candidate> candidates{{hinted.table_name, hinted.member("Key"), false},
                                    {hinted.table_name, hinted.member("Item"), true}};
  const JsonNode* const batch = hinted.member("RequestItems");
  if (batch != nullptr && batch->kind() == JsonNode::Kind::Object)
    for (const JsonMember& table : batch->members()) collect_of_batch(table, candidates);
  for (const Candidate& candidate : candidates) {
    const Table* const table =
        hinted.catalog.find(hinted.scope, table_name_of(candidate.table_name), hinted.now);
    if (table != nullptr && is_wrong(*table, candidate))
      return {table, candidate.attributes, candidate.is_item};
  }
  return {};
}

void hint_at_keys(const Hinted& hinted, std::vector<std::string>& hints) {
  if (hinted.table == nullptr || !tells_one_of(hinted, kWrongKey)) return;
  const std::string_view index_name = index_told(hinted.text(Part::Message));
  if (!index_name.empty()) {
    const Refusal refusal = read_refusal(hinted.text(Part::Message));
    std::string hint = key_choices_text(*hinted.table);
    if (hinted.member("Item") != nullptr) {
      hint += "; of these Item has " +
              given_text(hinted.member("Item"), names_of_keys(*hinted.table, index_name));
    } else {
      hint += "; " + refusal.attribute + " would become " + refusal.given;
    }
    hints.push_back(std::move(hint));
    return;
  }
  const GivenKey given = wrong_key(hinted);
  const Table& table = given.table != nullptr ? *given.table : *hinted.table;
  std::string hint = "The key of table '" + table.name + "' is " + key_text(table);
  if (given.is_item) {
    const std::string text = given_text(given.attributes, names_of_keys(table, {}));
    if (!text.empty() || hinted.is_asked_whole)
      hint += "; of these Item has " + (text.empty() ? "none" : text);
  } else if (given.table != nullptr) {
    hint += "; Key has " + given_text(given.attributes);
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

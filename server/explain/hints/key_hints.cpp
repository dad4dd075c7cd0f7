// Hints about keys: compares the keys given with those of the table.
#include <algorithm>
#include <utility>

#include "engine/call/scope.h"
#include "protocol/errors/rule.h"
#include "server/explain/hints/hints.h"
#include "server/explain/hints/schema_text.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

bool is_about_keys(Rule rule) {
  return rule == Rule::WholeKey || rule == Rule::KeyPresent || rule == Rule::KeyType ||
         rule == Rule::IndexKeyType;
}

bool is_about_key_condition(const RecentRequest& request) {
  const Rule rule = request.rule;
  return rule == Rule::KeyElementMissing || rule == Rule::KeyComparison ||
         rule == Rule::KeyConditionGiven || rule == Rule::KeyConditionType ||
         request.text(Part::Place) == "KeyConditionExpression";
}

// The key names of the table, and of the index `index_name` if not empty.
std::vector<std::string_view> names_of_keys(const Table& table, std::string_view index_name) {
  std::vector<std::string_view> names;
  for (const KeyChoice& choice : key_choices(table)) {
    if (!choice.index_name.empty() && choice.index_name != index_name) continue;
    for (const auto keys : {choice.partition_keys, choice.sort_keys})
      for (const KeyAttribute& key : keys) names.emplace_back(key.name);
  }
  return names;
}

// Attributes in a request, and the name of their table. A key must have exactly the table's key
// attributes; an item has them among others.
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

// Collects the keys, or the puts and deletes, of one table in a batch.
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

}  // namespace

GivenKey wrong_key(const HintInput& hinted) {
  std::vector<Candidate> candidates{{hinted.table_name, hinted.member("Key"), false},
                                    {hinted.table_name, hinted.member("Item"), true}};
  const JsonNode* const batch = hinted.member("RequestItems");
  if (batch != nullptr && batch->kind() == JsonNode::Kind::Object)
    for (const JsonMember& table : batch->members()) collect_of_batch(table, candidates);
  for (const Candidate& candidate : candidates) {
    const Table* const table =
        hinted.tables.find(hinted.scope, table_name_of(candidate.table_name));
    if (table != nullptr && is_wrong(*table, candidate))
      return {table, candidate.attributes, candidate.is_item};
  }
  return {};
}

void hint_at_keys(const HintInput& hinted, std::vector<std::string>& hints) {
  if (hinted.table == nullptr || !is_about_keys(hinted.request.rule)) return;
  if (hinted.request.rule == Rule::IndexKeyType) {
    const std::string_view index_name = hinted.request.rule_value(4);
    const Refusal refusal = read_refusal(hinted.request);
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

void hint_at_key_condition(const HintInput& hinted, std::vector<std::string>& hints) {
  if (hinted.table == nullptr || hinted.text(Part::Operation) != "Query" ||
      !is_about_key_condition(hinted.request))
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

void hint_at_filtered_key(const HintInput& hinted, std::vector<std::string>& hints) {
  const RecentRequest& request = hinted.request;
  if (request.rule != Rule::FilterOnKey || request.rule_value(1) != "Filter Expression") return;
  hints.push_back(std::string(request.rule_value(2)) +
                  " is a key of what is queried: say it in KeyConditionExpression instead of "
                  "FilterExpression");
}

}  // namespace stator

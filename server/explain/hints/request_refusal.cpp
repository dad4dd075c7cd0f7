// Completes refusals with what the error's text does not contain.
#include <algorithm>
#include <utility>

#include "protocol/errors/rule.h"
#include "server/explain/hints/hints.h"
#include "server/explain/hints/schema_text.h"

namespace stator {

namespace {

using Part = RecentRequest::Part;

constexpr std::size_t kTextBytesMax = 256;

std::string text_member(const HintInput& hinted, std::string_view name) {
  const JsonNode* const member = hinted.member(name);
  const bool is_text = member != nullptr && member->kind() == JsonNode::Kind::String;
  return is_text ? std::string(member->text()) : std::string();
}

// Rules for errors without a text, or with one that says less than their name.
struct NamedRule {
  std::string_view error;
  Refusal refusal;
};
const NamedRule kNamedRules[] = {
    {"MissingAuthenticationTokenException",
     {"a request is signed", "Authorization", "AWS4-HMAC-SHA256 with a Credential", "nothing"}},
    {"IncompleteSignatureException",
     {"a signature has all its parts", "Authorization",
      "Credential=KEY/DATE/REGION/dynamodb/aws4_request, SignedHeaders, Signature, and X-Amz-Date",
      "less"}},
    {"UnrecognizedClientException",
     {"an access key is 1 to 128 printable characters", "Authorization",
      "without blank, comma and slash", "another one"}},
    {"UnknownOperationException",
     {"the operation is one that there is here",
      "X-Amz-Target",
      "DynamoDB_20120810.OPERATION",
      {}}},
    {"TransactionCanceledException",
     {"each action of a transaction can be done", "TransactItems", {}, {}}},
};

const Refusal* named_rule(const HintInput& hinted) {
  for (const NamedRule& rule : kNamedRules)
    if (hinted.has_failed_with(rule.error)) return &rule.refusal;
  return nullptr;
}

// Names the unsupported operation, or the unsupported member of a supported one.
Refusal unknown_operation_refusal(const HintInput& hinted, Refusal refusal) {
  const std::string member(hinted.text(Part::Place));
  refusal.given = hinted.text(Part::Operation);
  if (member.empty()) return refusal;
  return {"members of the request are ones that there are here", member, "a request without it",
          refusal.given + " with it"};
}

// Finds the first reason but None, and its index, in "... [None, ConditionalCheckFailed]".
void tell_first_reason(const HintInput& hinted, Refusal& refusal) {
  const std::string_view message = hinted.text(Part::Message);
  std::size_t at = message.find('[');
  if (at == std::string_view::npos) return;
  for (std::size_t i = 0; at < message.size(); ++i) {
    const std::string_view rest = message.substr(at + 1);
    const std::string_view reason = rest.substr(0, rest.find_first_of(",]"));
    if (reason != "None") {
      refusal.attribute += "[" + std::to_string(i) + "]";
      refusal.given = reason;
      return;
    }
    at += reason.size() + 2;
  }
}

// Number of items that a batch names, in the recorded part of it.
std::size_t batch_size(const JsonNode* tables) {
  if (tables == nullptr || tables->kind() != JsonNode::Kind::Object) return 0;
  std::size_t count = 0;
  for (const JsonMember& table : tables->members()) {
    const JsonNode* list = &table.value;
    if (list->kind() == JsonNode::Kind::Object) list = list->find("Keys");
    if (list != nullptr && list->kind() == JsonNode::Kind::Array) count += list->elements().size();
  }
  return count;
}

std::string_view type_of_key(const Table& table, std::string_view name) {
  for (const KeyChoice& choice : key_choices(table))
    for (const auto keys : {choice.partition_keys, choice.sort_keys})
      for (const KeyAttribute& key : keys)
        if (key.name == name) return type_name(key.type);
  return {};
}

void tell_wrong_key(const HintInput& hinted, Refusal& refusal) {
  const GivenKey given = wrong_key(hinted);
  if (given.table == nullptr) return;
  refusal.expected = key_text(*given.table);
  refusal.given = given_text(given.attributes);
  refusal.attribute = first_misfit(*given.table, *given.attributes);
}

std::string index_names(const Table& table) {
  std::string names;
  for (const KeyChoice& choice : key_choices(table)) {
    if (choice.index_name.empty()) continue;
    names.append(names.empty() ? "" : ", ").append(choice.index_name);
  }
  return names.empty() ? "none, the table has no indexes" : names;
}

// Completes rules whose text lacks a value or a type.
void tell_of_request(const HintInput& hinted, Refusal& refusal) {
  const Rule rule = hinted.request.rule;
  if (rule == Rule::WholeKey) tell_wrong_key(hinted, refusal);
  if (rule == Rule::KeyPresent && hinted.table != nullptr)
    refusal.expected = type_of_key(*hinted.table, refusal.attribute);
  if (rule == Rule::IndexExists && hinted.table != nullptr) {
    refusal.expected = index_names(*hinted.table);
    refusal.given = text_member(hinted, "IndexName");
  }
  if (hinted.has_failed_with("ConditionalCheckFailedException"))
    refusal.expected = text_member(hinted, "ConditionExpression");
  if (hinted.has_failed_with("ResourceNotFoundException") && refusal.given.empty())
    refusal.given = hinted.table_name;
  if ((rule == Rule::BatchWrites || rule == Rule::BatchReads) && hinted.is_asked_whole)
    refusal.given = std::to_string(batch_size(hinted.member("RequestItems")));
  if (rule == Rule::ItemSize || rule == Rule::UpdatedItemSize)
    refusal.given =
        "more, in a body of " + std::to_string(hinted.request.whole_bytes(Part::Asked)) + " bytes";
}

}  // namespace

Refusal refusal_of(const HintInput& hinted) {
  Refusal refusal;
  if (const Refusal* const named = named_rule(hinted)) {
    refusal = *named;
    if (hinted.has_failed_with("UnknownOperationException"))
      refusal = unknown_operation_refusal(hinted, std::move(refusal));
    if (hinted.has_failed_with("TransactionCanceledException")) tell_first_reason(hinted, refusal);
  } else {
    refusal = read_refusal(hinted.request);
    tell_of_request(hinted, refusal);
  }
  if (refusal.rule.empty() && hinted.has_failed_with("SerializationException"))
    refusal = {"a body is a JSON object", {}, "{...}", "something else"};
  if (refusal.rule.empty()) refusal.rule = hinted.text(Part::Error);
  for (std::string* const text :
       {&refusal.rule, &refusal.attribute, &refusal.expected, &refusal.given})
    cut(*text, kTextBytesMax);
  return refusal;
}

}  // namespace stator

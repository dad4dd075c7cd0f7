#include "server/faults/matching.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "engine/call/scope.h"
#include "protocol/text/base64.h"
#include "server/faults/decision.h"
#include "server/faults/glob.h"
#include "server/http/header_text.h"

namespace stator::faults {

namespace {

constexpr std::pair<std::string_view, RequestGroup> kGroups[] = {
    {"reads", RequestGroup::Reads},     {"writes", RequestGroup::Writes},
    {"batches", RequestGroup::Batches}, {"transactions", RequestGroup::Transactions},
    {"control", RequestGroup::Control}, {"streams", RequestGroup::Streams},
};

constexpr std::string_view kItemOperations[] = {"GetItem",
                                                "PutItem",
                                                "UpdateItem",
                                                "DeleteItem",
                                                "Query",
                                                "Scan",
                                                "BatchGetItem",
                                                "BatchWriteItem",
                                                "TransactGetItems",
                                                "ExecuteStatement",
                                                "TransactWriteItems",
                                                "BatchExecuteStatement",
                                                "ExecuteTransaction"};
constexpr std::string_view kStreamOperations[] = {"ListStreams", "DescribeStream",
                                                  "GetShardIterator", "GetRecords"};
constexpr std::string_view kTransactions[] = {"TransactGetItems", "TransactWriteItems",
                                              "ExecuteTransaction"};

// Batches that can leave parts of themselves for another request.
constexpr std::string_view kPartial[] = {"BatchGetItem", "BatchWriteItem"};
// And one whose parts fail alone.
constexpr std::string_view kStatements = "BatchExecuteStatement";

// Those that may read a state of the past.
constexpr std::string_view kEventual[] = {"GetItem", "BatchGetItem",     "Query",
                                          "Scan",    "ExecuteStatement", "BatchExecuteStatement"};

// Those whose answers are pages of items.
constexpr std::string_view kPaged[] = {"Query", "Scan", "ExecuteStatement"};

// Those whose client tokens are remembered.
constexpr std::string_view kWithTokens[] = {"TransactWriteItems", "ExecuteTransaction"};

template <std::size_t N>
bool has(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool glob_of(const std::optional<std::string>& pattern, std::string_view text) {
  return !pattern || glob_fits(*pattern, text);
}

bool fits(const KeyPattern& pattern, const Value& value) {
  if (!pattern.numbers && pattern.text == "*") return true;
  switch (value.type()) {
    case Type::S:
      return !pattern.numbers && glob_fits(pattern.text, value.bytes());
    case Type::N: {
      if (!pattern.numbers) return false;
      const auto& [from, to] = *pattern.numbers;
      return (from.empty() || value.bytes() >= from) && (to.empty() || value.bytes() <= to);
    }
    case Type::B: {
      if (pattern.numbers) return false;
      std::string text;
      append_base64(text, value.bytes());
      return text.starts_with(pattern.text);
    }
    default:
      return false;
  }
}

const Value* fitting(const KeyPattern& pattern, const Value& value) {
  return fits(pattern, value) ? &value : nullptr;
}

bool is_attribute(const expr::Operand& operand, std::string_view name) {
  return operand.kind == expr::Operand::Kind::Attribute && operand.path.size() == 1 &&
         operand.path.front().name == name;
}

// A value that a comparison in WHERE gives to the attribute, if it fits the pattern.
const Value* fitting_comparison(const KeyPattern& pattern, const expr::Condition& condition) {
  const bool is_equality = condition.kind == expr::Condition::Kind::In ||
                           (condition.kind == expr::Condition::Kind::Compare &&
                            condition.comparator == expr::Comparator::Equal);
  if (!is_equality) return nullptr;
  const auto operands = condition.operands;
  if (std::none_of(operands.begin(), operands.end(), [&](const expr::Operand& operand) {
        return is_attribute(operand, pattern.attribute);
      }))
    return nullptr;
  for (const expr::Operand& operand : operands) {
    if (operand.kind != expr::Operand::Kind::Constant) continue;
    if (const Value* const found = fitting(pattern, operand.value)) return found;
  }
  return nullptr;
}

const Value* fitting_in_where(const KeyPattern& pattern, const expr::Condition& where) {
  if (where.kind != expr::Condition::Kind::And) return fitting_comparison(pattern, where);
  for (const expr::Condition* const child : where.children)
    if (const Value* const found = fitting_comparison(pattern, *child)) return found;
  return nullptr;
}

// The value of a key that the resource names and the pattern fits; nullptr if there is none.
const Value* fitting_value(const KeyPattern& pattern, const Resource& resource) {
  // The attributes of a request are few and need not be sorted.
  for (const Member& member : resource.key)
    if (member.name == pattern.attribute) return fitting(pattern, member.value);
  for (const expr::KeyCondition& condition : resource.key_conditions) {
    if (condition.op == expr::KeyCondition::Operator::Equal &&
        condition.attribute == pattern.attribute)
      return fitting(pattern, condition.lower);
  }
  if (resource.key_source != KeySource::Where || resource.condition == nullptr) return nullptr;
  return fitting_in_where(pattern, *resource.condition);
}

bool fits(const FaultMatch& match, const Resource& resource) {
  if (!glob_of(match.table, table_name_of(resource.table))) return false;
  if (!glob_of(match.index, resource.index)) return false;
  return std::all_of(match.key.begin(), match.key.end(), [&](const KeyPattern& pattern) {
    return fitting_value(pattern, resource) != nullptr;
  });
}

// Whether the effect can happen to this request, of the operations that it is possible for.
bool is_met(const FaultEffect& effect, const RequestFacts& facts) {
  if (std::holds_alternative<FaultPage>(effect.rest)) return facts.access == Access::Read;
  if (std::holds_alternative<FaultStale>(effect.rest)) return facts.is_consistent == false;
  return !std::holds_alternative<FaultToken>(effect.rest) || facts.has_token;
}

bool has_header(const RequestFacts& facts, const HeaderPattern& pattern) {
  bool is_found = false;
  if (facts.head == nullptr) return false;
  facts.head->for_each_field([&](std::string_view name, std::string_view value) {
    is_found =
        is_found || (equals_ignoring_case(name, pattern.name) && glob_fits(pattern.glob, value));
  });
  return is_found;
}

bool fits_head(const FaultMatch& match, const RequestFacts& facts) {
  if (match.user_agent && (facts.head == nullptr ||
                           !glob_fits(*match.user_agent, facts.head->header(Header::UserAgent))))
    return false;
  return std::all_of(match.headers.begin(), match.headers.end(),
                     [&](const HeaderPattern& pattern) { return has_header(facts, pattern); });
}

}  // namespace

std::optional<RequestGroup> find_group(std::string_view name) {
  for (const auto& [text, group] : kGroups)
    if (text == name) return group;
  return std::nullopt;
}

bool is_in(RequestGroup group, std::string_view operation, Access access) {
  switch (group) {
    case RequestGroup::Reads:
      return access == Access::Read && has(kItemOperations, operation);
    case RequestGroup::Writes:
      return access == Access::Write && has(kItemOperations, operation);
    case RequestGroup::Batches:
      return operation.starts_with("Batch");
    case RequestGroup::Transactions:
      return has(kTransactions, operation);
    case RequestGroup::Control:
      return !has(kItemOperations, operation) && !has(kStreamOperations, operation);
    case RequestGroup::Streams:
      return has(kStreamOperations, operation);
  }
  return false;
}

bool is_possible(const FaultEffect& effect, std::string_view operation) {
  if (const auto* error = std::get_if<FaultError>(&effect.rest))
    return error->is_any || can_answer(operation, error->code);
  if (std::holds_alternative<FaultCancel>(effect.rest)) return has(kTransactions, operation);
  if (const auto* parts = std::get_if<FaultUnprocessed>(&effect.rest))
    return operation == kStatements || (!parts->error && has(kPartial, operation));
  if (std::holds_alternative<FaultPage>(effect.rest)) return has(kPaged, operation);
  if (std::holds_alternative<FaultStale>(effect.rest)) return has(kEventual, operation);
  if (std::holds_alternative<FaultToken>(effect.rest)) return has(kWithTokens, operation);
  return !std::holds_alternative<FaultStream>(effect.rest) || operation == "GetRecords";
}

std::string_view operations_of(const FaultEffect& effect) {
  if (std::holds_alternative<FaultCancel>(effect.rest)) return "transactions";
  if (const auto* parts = std::get_if<FaultUnprocessed>(&effect.rest))
    return parts->error ? kStatements : "BatchGetItem, BatchWriteItem, BatchExecuteStatement";
  if (std::holds_alternative<FaultStale>(effect.rest)) return "reads of items";
  if (std::holds_alternative<FaultPage>(effect.rest)) return "Query, Scan, ExecuteStatement";
  if (std::holds_alternative<FaultToken>(effect.rest))
    return "TransactWriteItems, ExecuteTransaction";
  return std::holds_alternative<FaultStream>(effect.rest) ? "GetRecords" : "";
}

bool fits(const FaultRule& rule, const RequestFacts& facts) {
  const FaultMatch& match = rule.match;
  const auto& operations = match.operations;
  const bool is_named =
      operations.empty() ||
      std::any_of(operations.begin(), operations.end(), [&](const OperationPattern& pattern) {
        return pattern.group ? is_in(*pattern.group, facts.operation, facts.access)
                             : glob_fits(pattern.glob, facts.operation);
      });
  if (!is_named || !is_possible(rule.effect, facts.operation) || !is_met(rule.effect, facts))
    return false;
  if (!glob_of(match.region, facts.region) || !glob_of(match.access_key, facts.access_key))
    return false;
  if (match.is_consistent && match.is_consistent != facts.is_consistent) return false;
  if (!fits_head(match, facts)) return false;
  const bool asks_for_table = match.table || match.index || !match.key.empty();
  return !asks_for_table ||
         std::any_of(facts.resources.begin(), facts.resources.end(),
                     [&](const Resource& resource) { return fits(match, resource); });
}

std::vector<std::size_t> unprocessed_places(const FaultRule& rule, const RequestFacts& facts) {
  const auto& unprocessed = std::get<FaultUnprocessed>(rule.effect.rest);
  const std::size_t parts = facts.resources.size();
  std::size_t last = unprocessed.count;
  if (unprocessed.fraction > 0)
    last = static_cast<std::size_t>(std::ceil(unprocessed.fraction * static_cast<double>(parts)));
  const std::size_t first_of_last = parts - std::min(parts, last);
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < parts; ++place) {
    const auto& listed = unprocessed.places;
    // A statement that is rejected is no resource, but has its place.
    const std::size_t named =
        facts.operation == kStatements ? facts.resources[place].member : place;
    const bool is_left = unprocessed.is_matching
                             ? fits(rule.match, facts.resources[place])
                             : place >= first_of_last ||
                                   std::find(listed.begin(), listed.end(), named) != listed.end();
    if (is_left) places.push_back(place);
  }
  return places;
}

std::uint64_t subject_of(const FaultRule& rule, const RequestFacts& facts) {
  if (rule.when.count_by == FaultWhen::CountBy::All) return 0;
  if (rule.when.count_by == FaultWhen::CountBy::Client) return hash_of(facts.access_key);
  const auto found =
      std::find_if(facts.resources.begin(), facts.resources.end(),
                   [&](const Resource& resource) { return fits(rule.match, resource); });
  std::uint64_t hash = hash_of(table_name_of(found->table));
  for (const KeyPattern& pattern : rule.match.key) {
    const Value* const value = fitting_value(pattern, *found);
    hash = hash_of(value->bytes(), hash_of(type_name(value->type()), hash));
  }
  return hash;
}

std::optional<std::uint64_t> attempt_in(std::string_view header) {
  constexpr std::string_view kName = "attempt=";
  const std::size_t at = header.find(kName);
  if (at == std::string_view::npos) return std::nullopt;
  const char* const begin = header.data() + at + kName.size();
  std::uint64_t attempt = 0;
  const auto read = std::from_chars(begin, header.data() + header.size(), attempt);
  return read.ec == std::errc{} ? std::optional(attempt) : std::nullopt;
}

}  // namespace stator::faults

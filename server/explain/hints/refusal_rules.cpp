// The rows are in the order of the rules (protocol/errors/rule.h).
#include "server/explain/hints/refusal_rules.h"

#include <array>
#include <cstddef>

namespace stator {

namespace {

constexpr std::string_view kWholeKey =
    "a key is all key attributes of the table, and no others, with their types";
constexpr std::string_view kKeyCondition =
    "a Query compares the partition key with =, and may narrow the sort key";
constexpr std::string_view kEventual = "global secondary indexes are read eventually consistent";
constexpr std::string_view kExpressionSize = "an expression is not too large";
constexpr std::string_view kUpdateOperand =
    "an update adds numbers to numbers, and elements to sets and lists";
constexpr std::string_view kNumberText = "a number is a decimal number";
constexpr std::string_view kBatchSize = "a batch is not too large";
constexpr std::string_view kRequired = "what is required is there";
constexpr std::string_view kTable = "a table of this name, account and Region";
constexpr std::string_view kDefinitions = "AttributeDefinitions are those of the keys";
constexpr std::string_view kBilling = "a table has throughput or is paid by request";

constexpr std::array kRefusalRules = {
    RefusalRule{Rule::None, {}},
    // Keys.
    RefusalRule{Rule::WholeKey, kWholeKey},
    RefusalRule{
        Rule::KeyPresent, "an item has all key attributes of its table", "$1", {}, "nothing"},
    RefusalRule{Rule::KeyType, "a key attribute has the type of its definition", "$1", "$2", "$3"},
    RefusalRule{Rule::IndexKeyType,
                "an attribute that is a key of an index has the type of its definition", "$1", "$2",
                "$3"},
    RefusalRule{Rule::KeyUnchanged, "an update leaves the key as it is", "$1", "other attributes",
                "a new value of a key"},
    RefusalRule{Rule::KeyNotEmpty, "a key is not empty", "$2", "one byte or more", "an empty $1"},
    RefusalRule{Rule::IndexKeyNotEmpty, "a key of an index is not empty", "$2", "one byte or more",
                "an empty $1"},
    RefusalRule{Rule::IndexKeySize, "a key of an index is not too long", "$1", "1 to $2", "$3"},
    RefusalRule{
        Rule::PartitionKeySize, "a partition key is not too long", {}, "1 to 2048 bytes", "more"},
    RefusalRule{Rule::SortKeySize, "a sort key is not too long", {}, "1 to 1024 bytes", "more"},
    RefusalRule{Rule::ScalarKey, "keys are no documents", "$1", "a name without . and []",
                "a path into it"},
    // Queries.
    RefusalRule{Rule::KeyElementMissing, kKeyCondition, "$1", "a condition on it", "none"},
    RefusalRule{
        Rule::KeyComparison, kKeyCondition, "KeyConditionExpression",
        "partition key = value, and =, <, <=, >, >=, BETWEEN or begins_with for the sort key",
        "another comparison"},
    RefusalRule{Rule::KeyConditionType,
                "a condition on a key compares with a value of the key's type",
                {},
                "the type of its definition",
                "another type"},
    RefusalRule{Rule::KeyConditionCount, "a Query has one condition for each key attribute",
                "KeyConditionExpression", "at most $2 conditions", "$1"},
    RefusalRule{Rule::KeyConditionOperator,
                "a key condition has these comparisons alone",
                {},
                "=, <, <=, >, >=, BETWEEN, begins_with",
                "$1"},
    RefusalRule{Rule::KeyConditionOperands,
                "each part of a key condition is about one key attribute, which comes first",
                {},
                "a key attribute, compared with a value",
                "$1"},
    RefusalRule{Rule::OneConditionPerKey,
                "a key condition says one thing of each key",
                {},
                "one comparison for each key, or BETWEEN",
                "more than one"},
    RefusalRule{Rule::PlainKeyCondition,
                "a key condition is plain comparisons, joined by AND",
                {},
                "names of key attributes",
                "$1"},
    RefusalRule{Rule::FilterOnKey, "a filter is not about the key that is queried", "$2",
                "it in KeyConditionExpression", "it in $1"},
    RefusalRule{Rule::EqualityOnIndexKeys,
                "the keys of an index are given from the first on, with =", "$2", "$2 = a value",
                "none"},
    RefusalRule{Rule::KeyConditionGiven, "a Query has a condition on the key",
                "KeyConditionExpression", "partition key = value", "nothing"},
    RefusalRule{Rule::IndexExists, "the index is one of the table's", "IndexName",
                "an index of the table", "$1"},
    RefusalRule{Rule::EventualRead,
                kEventual,
                {},
                "an eventually consistent read",
                "a strongly consistent one"},
    RefusalRule{Rule::ConsistentReadOfIndex, kEventual, "ConsistentRead", "false", "true"},
    RefusalRule{Rule::OneItemPerStatement, "a statement that writes names one item", "Statement",
                "key = value for each key attribute", "less"},
    RefusalRule{Rule::FilterInIndex, "what is filtered by is in the index", "$2",
                "attributes that $1 projects", "$2"},
    // Expressions.
    RefusalRule{Rule::Grammar,
                "an expression keeps to the grammar",
                {},
                "other words at this place",
                "$1, near $2"},
    RefusalRule{Rule::ReservedWord,
                "reserved words stand in expressions as placeholders only",
                {},
                "#$1, with \"#$1\": \"$1\" in ExpressionAttributeNames",
                "$1"},
    RefusalRule{Rule::NameDefined,
                "each # placeholder is in ExpressionAttributeNames",
                {},
                "$1 in ExpressionAttributeNames",
                "no such name"},
    RefusalRule{Rule::ValueDefined,
                "each : placeholder is in ExpressionAttributeValues",
                {},
                "$1 in ExpressionAttributeValues",
                "no such value"},
    RefusalRule{Rule::PlaceholdersUsed, "each placeholder is used by an expression", "$1",
                "placeholders of the expressions", "$2 beside them"},
    RefusalRule{Rule::ExpressionGiven, "placeholders belong to expressions", "$1",
                "an expression that uses them", "none"},
    RefusalRule{Rule::PlaceholdersGiven, "placeholders are left out when there are none", "$1",
                "one or more, or no such member", "an empty map"},
    RefusalRule{Rule::PlaceholderSyntax, "names of placeholders begin with # or :", "$1",
                "# for names, : for values, and letters or digits", "$2"},
    RefusalRule{Rule::PlaceholderSize, "names of placeholders are short", "$1",
                "at most 255 bytes with # or :", "$2 bytes"},
    RefusalRule{
        Rule::OperandType, "an operator takes operands of its types", {}, "$3", "$2 for $1"},
    RefusalRule{Rule::UpdateOperandType,
                "ADD and DELETE take values of their types",
                {},
                "$3",
                "$2 for $1"},
    RefusalRule{
        Rule::OperandCount, "a function takes a fixed number of operands", {}, "$3", "$2 for $1"},
    RefusalRule{Rule::OperandIsPath,
                "the first operand of this function is an attribute",
                {},
                "a path for $1",
                "a value"},
    RefusalRule{Rule::FunctionPlace,
                "a condition stands alone, a value in a comparison",
                {},
                "attribute_exists, begins_with and the like as conditions, size in comparisons",
                "$1 the other way"},
    RefusalRule{Rule::FunctionName, "functions are these, in lower case", {}, "$2", "$1"},
    RefusalRule{Rule::TypeName, "attribute_type takes the name of a type", {}, "$2", "$1"},
    RefusalRule{Rule::DistinctOperands, "an attribute is not compared with itself", "$2",
                "another attribute or a value beside $1", "$2 twice"},
    RefusalRule{Rule::BoundTypes,
                "the bounds of BETWEEN have one type",
                {},
                "two values of one type",
                "$1 and $2"},
    RefusalRule{Rule::BoundOrder,
                "the lower bound of BETWEEN comes first",
                {},
                "lower AND upper",
                "$1 and $2"},
    RefusalRule{Rule::SeparatePaths, "an expression says one thing of each attribute", "$1",
                "paths of which none is part of another", "$1 and $2"},
    RefusalRule{Rule::SectionOnce,
                "an update has each section once",
                {},
                "one $1, its actions joined by commas",
                "$1 twice"},
    RefusalRule{Rule::ExpressionNotEmpty,
                "an expression is left out when there is none",
                {},
                "an expression, or no such member",
                "an empty text"},
    RefusalRule{Rule::Parentheses, "parentheses are not doubled", {}, "one pair", "((...))"},
    RefusalRule{Rule::OperatorCount, kExpressionSize, {}, "at most 300 operators", "$1"},
    RefusalRule{Rule::ExpressionSize, kExpressionSize, {}, "at most 4096 bytes", "$1"},
    RefusalRule{Rule::ListIndex, "an index of a list is small", {}, "0 to 2147483647", "$1"},
    RefusalRule{Rule::OneLanguage,
                "a request uses expressions or the parameters before them",
                {},
                "$2 alone",
                "$1 beside them"},
    RefusalRule{Rule::UpdatePath, "what a path leads through is there, and is a map or a list",
                "UpdateExpression", "a path whose parents the item has",
                "a path that leads nowhere"},
    RefusalRule{Rule::UpdateSource, "an update reads attributes that the item has",
                "UpdateExpression", "if_not_exists(attribute, value) for what may be missing",
                "an attribute the item lacks"},
    RefusalRule{Rule::UpdateOperand, kUpdateOperand, "UpdateExpression",
                "an attribute of the operation's type", "another type in the item"},
    // Values.
    RefusalRule{Rule::ValueTyped,
                "a value says its type",
                {},
                "{\"S\": ...}, {\"N\": ...} and so on",
                "no type"},
    RefusalRule{Rule::ValueOneType,
                "a value has one type",
                {},
                "one of S, N, B, BOOL, NULL, SS, NS, BS, L, M",
                "more than one"},
    RefusalRule{Rule::NumberText, kNumberText, {}, "such as -12.5e3", "$1"},
    RefusalRule{Rule::NumberNotEmpty, kNumberText, {}, "such as -12.5e3", "an empty text"},
    RefusalRule{
        Rule::NumberDigits, "a number is exact", {}, "at most 38 significant digits", "more"},
    RefusalRule{Rule::NumberMaximum,
                "a number is not too large",
                {},
                "up to 9.9999999999999999999999999999999999999E+125",
                "more"},
    RefusalRule{
        Rule::NumberMinimum, "a number is not too small", {}, "1E-130 or more, or 0", "less"},
    RefusalRule{Rule::SetNotEmpty,
                "a set has elements",
                {},
                "one or more, or no such attribute",
                "an empty $1 set"},
    RefusalRule{
        Rule::DistinctElements, "a set has each element once", {}, "different elements", "$1"},
    RefusalRule{Rule::Nesting, "a document is not too deep", {}, "at most 32 levels", "more"},
    RefusalRule{Rule::NullIsTrue, "NULL is true", {}, "{\"NULL\": true}", "false"},
    RefusalRule{Rule::JsonType, "members of the body have their JSON types", {}, "$2", "$1"},
    // Sizes and numbers.
    RefusalRule{Rule::ItemSize, "an item is not too large, its names counted", "Item",
                "at most 409600 bytes", "more"},
    RefusalRule{Rule::UpdatedItemSize, "an item is not too large, its names counted",
                "UpdateExpression", "an item of at most 409600 bytes behind the update", "more"},
    RefusalRule{Rule::BatchWrites, kBatchSize, "RequestItems", "at most 25 puts and deletes",
                "more"},
    RefusalRule{Rule::BatchReads, kBatchSize, "RequestItems", "at most 100 keys", "more"},
    RefusalRule{Rule::BatchItemOnce, "a batch names each item once", "RequestItems",
                "different keys", "a key twice"},
    RefusalRule{Rule::TransactionItemOnce, "a transaction names each item once", "TransactItems",
                "one action for each item", "an item twice"},
    RefusalRule{Rule::MemberBeside, "Segment and TotalSegments come together", "$1", "it beside $2",
                "nothing"},
    RefusalRule{Rule::MemberRequired, kRequired, "$1", "a value", "nothing"},
    RefusalRule{Rule::Constraint, "members of the request keep to the API's description", "$1",
                "$2", "$3"},
    // Tables.
    RefusalRule{Rule::TableExists, "the table is there", "TableName", kTable, "$1"},
    RefusalRule{Rule::ResourceExists, "what is named is there", "TableName", kTable, "$1"},
    RefusalRule{Rule::TableIsNew, "a table is made once", "TableName", "a name that no table has",
                "$1"},
    RefusalRule{Rule::DefinedKeys, kDefinitions, "AttributeDefinitions", "$1", "$2"},
    RefusalRule{Rule::DefinitionCount, kDefinitions, "AttributeDefinitions",
                "the keys of the table and its indexes", "others"},
    RefusalRule{Rule::KeySchemaTypes, "a key schema is HASH, and RANGE behind it", "KeySchema",
                "$2 as the $1", "another type"},
    RefusalRule{Rule::ThroughputGiven, kBilling, "$1", "it, or BillingMode PAY_PER_REQUEST",
                "nothing"},
    RefusalRule{Rule::ThroughputOmitted, kBilling, "ProvisionedThroughput",
                "no such member, or BillingMode PROVISIONED", "both"},
    RefusalRule{Rule::NonKeyAttributes, "NonKeyAttributes belong to INCLUDE", "Projection",
                "INCLUDE with NonKeyAttributes, others without", "$1, $2"},
    // Conditions.
    RefusalRule{Rule::Condition,
                "the item meets the condition",
                "ConditionExpression",
                {},
                "an item that does not meet it, or none"},
};

constexpr bool is_in_order_of_rules() {
  for (std::size_t i = 0; i < kRefusalRules.size(); ++i)
    if (static_cast<std::size_t>(kRefusalRules[i].rule) != i) return false;
  return true;
}
static_assert(is_in_order_of_rules());
static_assert(kRefusalRules.size() == kRules);

}  // namespace

const RefusalRule& refusal_rule(Rule rule) { return kRefusalRules[static_cast<std::size_t>(rule)]; }

}  // namespace stator

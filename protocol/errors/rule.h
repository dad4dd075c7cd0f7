// The rules of the service that errors name (Error::with_rule), so that an explanation need not
// read their texts.
//
// The comments name the values of a rule, $1 first. Prose about each is in
// server/explain/hints/refusal_rules.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/errors/error.h"

namespace stator {

enum class Rule : std::uint8_t {
  None,
  // Keys.
  WholeKey,
  KeyPresent,        // attribute
  KeyType,           // attribute, type of its definition, type given
  IndexKeyType,      // attribute, type of its definition, type given, index
  KeyUnchanged,      // attribute
  KeyNotEmpty,       // what is empty, attribute
  IndexKeyNotEmpty,  // what is empty, attribute
  IndexKeySize,      // attributes, limit, size given, index
  PartitionKeySize,
  SortKeySize,
  ScalarKey,  // path
  // Queries.
  KeyElementMissing,  // attribute
  KeyComparison,
  KeyConditionType,
  KeyConditionCount,     // conditions given, conditions allowed
  KeyConditionOperator,  // operator
  KeyConditionOperands,  // what is wrong
  OneConditionPerKey,
  PlainKeyCondition,    // what it cannot have
  FilterOnKey,          // member, attribute
  EqualityOnIndexKeys,  // kind of key, attributes
  KeyConditionGiven,
  IndexExists,  // index
  EventualRead,
  ConsistentReadOfIndex,
  OneItemPerStatement,
  FilterInIndex,  // index, attribute
  // Expressions.
  Grammar,            // token, text near it
  ReservedWord,       // word
  NameDefined,        // placeholder
  ValueDefined,       // placeholder
  PlaceholdersUsed,   // member, placeholders
  ExpressionGiven,    // member
  PlaceholdersGiven,  // member
  PlaceholderSyntax,  // member, key
  PlaceholderSize,    // member, bytes of the key
  OperandType,        // operator or function, type
  UpdateOperandType,  // clause, type
  OperandCount,       // function, count
  OperandIsPath,      // function
  FunctionPlace,      // function
  FunctionName,       // function
  TypeName,           // name given, names of types
  DistinctOperands,   // operator, path
  BoundTypes,         // lower bound, upper bound
  BoundOrder,         // lower bound, upper bound
  SeparatePaths,      // path, other path
  SectionOnce,        // section
  ExpressionNotEmpty,
  Parentheses,
  OperatorCount,   // count, which the message may not have
  ExpressionSize,  // size, if the message has it
  ListIndex,       // index
  OneLanguage,     // legacy members, expressions
  UpdatePath,
  UpdateSource,
  UpdateOperand,
  // Values.
  ValueTyped,
  ValueOneType,
  NumberText,  // text
  NumberNotEmpty,
  NumberDigits,
  NumberMaximum,
  NumberMinimum,
  SetNotEmpty,       // type of elements
  DistinctElements,  // the elements, if the message has them
  Nesting,
  NullIsTrue,
  JsonType,  // token given, type wanted
  // Sizes and numbers.
  ItemSize,
  UpdatedItemSize,
  BatchWrites,
  BatchReads,
  BatchItemOnce,
  TransactionItemOnce,
  MemberBeside,    // member missing, member given
  MemberRequired,  // member
  Constraint,      // member, constraint, value if the message has it
  // Tables.
  TableExists,     // table
  ResourceExists,  // resource, if the message has it
  TableIsNew,      // table, if the message has it
  DefinedKeys,     // expected attributes, given attributes
  DefinitionCount,
  KeySchemaTypes,   // place, type
  ThroughputGiven,  // member
  ThroughputOmitted,
  NonKeyAttributes,  // projection type, whether there are attributes
  // Conditions.
  Condition,
};
inline constexpr std::size_t kRules = static_cast<std::size_t>(Rule::Condition) + 1;

}  // namespace stator

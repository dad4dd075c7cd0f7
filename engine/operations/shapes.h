// Shapes that several operations share. Members stand in the order in which the service reports
// violations (conformance/observed/errors.md 5.4), values of enums in the order in which it prints
// them (5.3).
#pragma once

#include <array>
#include <string_view>

#include "protocol/limits.h"
#include "protocol/shape.h"

namespace stator::shapes {

using Kind = TypeSpec::Kind;
using Values2 = std::array<std::string_view, 2>;
using Values3 = std::array<std::string_view, 3>;
using Values5 = std::array<std::string_view, 5>;

inline constexpr Values3 kReturnConsumedCapacityValues{"INDEXES", "TOTAL", "NONE"};
inline constexpr Values2 kReturnItemCollectionMetricsValues{"SIZE", "NONE"};
inline constexpr Values5 kReturnValuesValues{"ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE",
                                             "UPDATED_NEW"};
inline constexpr Values2 kReturnOnFailureValues{"ALL_OLD", "NONE"};
inline constexpr Values2 kConditionalOperatorValues{"OR", "AND"};
inline constexpr std::array<std::string_view, 13> kComparisonOperatorValues{
    "IN",       "NULL", "BETWEEN", "LT",          "NOT_CONTAINS", "EQ",      "GT",
    "NOT_NULL", "NE",   "LE",      "BEGINS_WITH", "GE",           "CONTAINS"};

inline constexpr TypeSpec kReturnConsumedCapacity{.kind = Kind::String,
                                                  .values = kReturnConsumedCapacityValues};
inline constexpr TypeSpec kReturnItemCollectionMetrics{
    .kind = Kind::String, .values = kReturnItemCollectionMetricsValues};
inline constexpr TypeSpec kReturnValues{
    .kind = Kind::String,
    .values = kReturnValuesValues,
    .enveloped_enum_text =
        "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, "
        "ALL_NEW, UPDATE_NEW, NONE]"};
inline constexpr TypeSpec kReturnOnFailure{.kind = Kind::String, .values = kReturnOnFailureValues};
inline constexpr TypeSpec kConditionalOperator{
    .kind = Kind::String,
    .values = kConditionalOperatorValues,
    .enveloped_enum_text =
        "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"};
inline constexpr TypeSpec kComparisonOperator{.kind = Kind::String,
                                              .values = kComparisonOperatorValues};

// A table's name or ARN. Item calls accept names of one character, control calls ask for three.
inline constexpr TypeSpec kItemTableName{
    .kind = Kind::String,
    .min = 1,
    .max = static_cast<std::int64_t>(limits::kTableNameCharsMax),
    .name_pattern = true,
    .table_arn_too = true};
inline constexpr TypeSpec kControlTableName{
    .kind = Kind::String,
    .min = static_cast<std::int64_t>(limits::kTableNameCharsMin),
    .max = static_cast<std::int64_t>(limits::kTableNameCharsMax),
    .name_pattern = true,
    .table_arn_too = true};
// A name only.
inline constexpr TypeSpec kName{.kind = Kind::String,
                                .min = static_cast<std::int64_t>(limits::kTableNameCharsMin),
                                .max = static_cast<std::int64_t>(limits::kTableNameCharsMax),
                                .name_pattern = true};

inline constexpr TypeSpec kAttributeValueList{.kind = Kind::List, .element = &kAttributeValueType};
inline constexpr std::array kExpectedFields{
    FieldSpec{"Value", &kAttributeValueType},
    FieldSpec{"Exists", &kBooleanType},
    FieldSpec{"ComparisonOperator", &kComparisonOperator},
    FieldSpec{"AttributeValueList", &kAttributeValueList},
};
inline constexpr TypeSpec kExpectedAttributeValue{
    .kind = Kind::Structure, .name = "ExpectedAttributeValue", .fields = kExpectedFields};
inline constexpr TypeSpec kExpected{.kind = Kind::Map, .element = &kExpectedAttributeValue};
inline constexpr TypeSpec kAttributesToGet{.kind = Kind::List, .element = &kStringType, .min = 1};

// Batches. The classic profile counts an empty map among the violations, the current one has words
// of its own for it (batch_requests.h).
inline constexpr TypeSpec kBatchKeys{.kind = Kind::List,
                                     .element = &kAttributeMapType,
                                     .min = 1,
                                     .max = static_cast<std::int64_t>(limits::kBatchGetKeysMax)};
inline constexpr std::array kKeysAndAttributesFields{
    FieldSpec{"Keys", &kBatchKeys, true},
    FieldSpec{"AttributesToGet", &kAttributesToGet},
    FieldSpec{"ConsistentRead", &kBooleanType},
    FieldSpec{"ProjectionExpression", &kStringType},
    FieldSpec{"ExpressionAttributeNames", &kStringMapType},
};
inline constexpr TypeSpec kKeysAndAttributes{
    .kind = Kind::Structure, .name = "KeysAndAttributes", .fields = kKeysAndAttributesFields};

inline constexpr std::array kDeleteRequestFields{FieldSpec{"Key", &kAttributeMapType, true}};
inline constexpr TypeSpec kDeleteRequest{
    .kind = Kind::Structure, .name = "DeleteRequest", .fields = kDeleteRequestFields};
inline constexpr std::array kPutRequestFields{FieldSpec{"Item", &kAttributeMapType, true}};
inline constexpr TypeSpec kPutRequest{
    .kind = Kind::Structure, .name = "PutRequest", .fields = kPutRequestFields};
inline constexpr std::array kWriteRequestFields{
    FieldSpec{"DeleteRequest", &kDeleteRequest},
    FieldSpec{"PutRequest", &kPutRequest},
};
inline constexpr TypeSpec kWriteRequest{
    .kind = Kind::Structure, .name = "WriteRequest", .fields = kWriteRequestFields};
inline constexpr TypeSpec kWriteRequests{
    .kind = Kind::List,
    .element = &kWriteRequest,
    .min = 1,
    .max = static_cast<std::int64_t>(limits::kBatchWriteRequestsMax)};

}  // namespace stator::shapes

// Shapes of table definitions, shared by CreateTable and UpdateTable.
#pragma once

#include "engine/operations/shapes.h"

namespace stator::shapes {

inline constexpr Values3 kAttributeTypeValues{"B", "N", "S"};
inline constexpr Values2 kKeyTypeValues{"HASH", "RANGE"};
inline constexpr Values3 kProjectionTypeValues{"ALL", "INCLUDE", "KEYS_ONLY"};
inline constexpr Values2 kBillingModeValues{"PROVISIONED", "PAY_PER_REQUEST"};
inline constexpr std::array<std::string_view, 4> kStreamViewTypeValues{
    "NEW_AND_OLD_IMAGES", "OLD_IMAGE", "NEW_IMAGE", "KEYS_ONLY"};
inline constexpr Values2 kSseTypeValues{"AES256", "KMS"};

inline constexpr TypeSpec kAttributeType{.kind = Kind::String, .values = kAttributeTypeValues};
inline constexpr TypeSpec kKeyType{.kind = Kind::String, .values = kKeyTypeValues};
inline constexpr TypeSpec kProjectionType{.kind = Kind::String, .values = kProjectionTypeValues};
inline constexpr TypeSpec kBillingMode{.kind = Kind::String, .values = kBillingModeValues};
inline constexpr TypeSpec kStreamViewType{.kind = Kind::String, .values = kStreamViewTypeValues};
inline constexpr TypeSpec kSseType{.kind = Kind::String, .values = kSseTypeValues};
inline constexpr TypeSpec kKeyAttributeName{.kind = Kind::String, .min = 1, .max = 255};
inline constexpr TypeSpec kPositiveLong{.kind = Kind::Long, .min = 1};

inline constexpr std::array kAttributeDefinitionFields{
    FieldSpec{"AttributeName", &kKeyAttributeName, true},
    FieldSpec{"AttributeType", &kAttributeType, true},
};
inline constexpr TypeSpec kAttributeDefinition{
    .kind = Kind::Structure, .name = "AttributeDefinition", .fields = kAttributeDefinitionFields};
inline constexpr TypeSpec kAttributeDefinitions{.kind = Kind::List,
                                                .element = &kAttributeDefinition};

inline constexpr std::array kKeySchemaElementFields{
    FieldSpec{"AttributeName", &kKeyAttributeName, true},
    FieldSpec{"KeyType", &kKeyType, true},
};
inline constexpr TypeSpec kKeySchemaElement{
    .kind = Kind::Structure, .name = "KeySchemaElement", .fields = kKeySchemaElementFields};
// Tables and local indexes: one or two elements. Global indexes: their own check counts.
inline constexpr TypeSpec kKeySchema{
    .kind = Kind::List, .element = &kKeySchemaElement, .min = 1, .max = 2};
inline constexpr TypeSpec kGlobalKeySchema{
    .kind = Kind::List, .element = &kKeySchemaElement, .min = 1};

inline constexpr TypeSpec kNonKeyAttributes{
    .kind = Kind::List,
    .element = &kKeyAttributeName,
    .min = 1,
    .max = static_cast<std::int64_t>(limits::kNonKeyAttributesPerIndexMax)};
inline constexpr std::array kProjectionFields{
    FieldSpec{"ProjectionType", &kProjectionType},
    FieldSpec{"NonKeyAttributes", &kNonKeyAttributes},
};
inline constexpr TypeSpec kProjection{
    .kind = Kind::Structure, .name = "Projection", .fields = kProjectionFields};

inline constexpr std::array kProvisionedThroughputFields{
    FieldSpec{"WriteCapacityUnits", &kPositiveLong, true},
    FieldSpec{"ReadCapacityUnits", &kPositiveLong, true},
};
inline constexpr TypeSpec kProvisionedThroughput{.kind = Kind::Structure,
                                                 .name = "ProvisionedThroughput",
                                                 .fields = kProvisionedThroughputFields};

inline constexpr std::array kOnDemandThroughputFields{
    FieldSpec{"MaxReadRequestUnits", &kLongType},
    FieldSpec{"MaxWriteRequestUnits", &kLongType},
};
inline constexpr TypeSpec kOnDemandThroughput{
    .kind = Kind::Structure, .name = "OnDemandThroughput", .fields = kOnDemandThroughputFields};

inline constexpr std::array kWarmThroughputFields{
    FieldSpec{"ReadUnitsPerSecond", &kLongType},
    FieldSpec{"WriteUnitsPerSecond", &kLongType},
};
inline constexpr TypeSpec kWarmThroughput{
    .kind = Kind::Structure, .name = "WarmThroughput", .fields = kWarmThroughputFields};

inline constexpr std::array kGlobalIndexFields{
    FieldSpec{"IndexName", &kName, true},
    FieldSpec{"ProvisionedThroughput", &kProvisionedThroughput},
    FieldSpec{"KeySchema", &kGlobalKeySchema, true},
    FieldSpec{"Projection", &kProjection, true},
    FieldSpec{"OnDemandThroughput", &kOnDemandThroughput},
    FieldSpec{"WarmThroughput", &kWarmThroughput},
};
inline constexpr TypeSpec kGlobalIndex{
    .kind = Kind::Structure, .name = "GlobalSecondaryIndex", .fields = kGlobalIndexFields};
inline constexpr TypeSpec kGlobalIndexes{.kind = Kind::List, .element = &kGlobalIndex};

inline constexpr std::array kLocalIndexFields{
    FieldSpec{"IndexName", &kName, true},
    FieldSpec{"KeySchema", &kKeySchema, true},
    FieldSpec{"Projection", &kProjection, true},
};
inline constexpr TypeSpec kLocalIndex{
    .kind = Kind::Structure, .name = "LocalSecondaryIndex", .fields = kLocalIndexFields};
inline constexpr TypeSpec kLocalIndexes{.kind = Kind::List, .element = &kLocalIndex};

inline constexpr std::array kStreamSpecificationFields{
    FieldSpec{"StreamEnabled", &kBooleanType, true},
    FieldSpec{"StreamViewType", &kStreamViewType},
};
inline constexpr TypeSpec kStreamSpecification{
    .kind = Kind::Structure, .name = "StreamSpecification", .fields = kStreamSpecificationFields};

inline constexpr std::array kSseSpecificationFields{
    FieldSpec{"Enabled", &kBooleanType},
    FieldSpec{"SSEType", &kSseType},
    FieldSpec{"KMSMasterKeyId", &kStringType},
};
inline constexpr TypeSpec kSseSpecification{
    .kind = Kind::Structure, .name = "SSESpecification", .fields = kSseSpecificationFields};

inline constexpr std::array kTagFields{
    FieldSpec{"Key", &kStringType, true},
    FieldSpec{"Value", &kStringType, true},
};
inline constexpr TypeSpec kTag{.kind = Kind::Structure, .name = "Tag", .fields = kTagFields};
inline constexpr TypeSpec kTags{.kind = Kind::List, .element = &kTag};

// Structures of operations still to come: any object passes, and the operation refuses the member.
inline constexpr TypeSpec kOpaqueStructure{.kind = Kind::Structure, .name = "Structure"};
inline constexpr TypeSpec kOpaqueList{.kind = Kind::List, .element = &kOpaqueStructure};

}  // namespace stator::shapes

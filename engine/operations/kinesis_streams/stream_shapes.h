// Shapes of the requests of Kinesis that this server answers, after the service's API model.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "protocol/shapes/shape.h"

namespace stator::kinesis {

inline constexpr std::int64_t kRecordBytesMax = std::int64_t{1} << 20;
inline constexpr std::int64_t kRecordsInRequestMax = 500;
inline constexpr std::int64_t kRecordsInPageMax = 10'000;
inline constexpr std::int64_t kTagsMax = 50;

inline constexpr TypeSpec kStreamName{
    .kind = TypeSpec::Kind::String, .min = 1, .max = 128, .name_pattern = true};
inline constexpr TypeSpec kStreamArn{.kind = TypeSpec::Kind::String, .min = 1, .max = 2048};
inline constexpr TypeSpec kShardId{
    .kind = TypeSpec::Kind::String, .min = 1, .max = 128, .name_pattern = true};
inline constexpr TypeSpec kNextToken{.kind = TypeSpec::Kind::String, .min = 1, .max = 1'048'576};
inline constexpr TypeSpec kPageCount{.kind = TypeSpec::Kind::Integer, .min = 1, .max = 10'000};
inline constexpr TypeSpec kShardCount{.kind = TypeSpec::Kind::Integer, .min = 1};
inline constexpr TypeSpec kPartitionKey{.kind = TypeSpec::Kind::String, .min = 1, .max = 256};
inline constexpr TypeSpec kIterator{.kind = TypeSpec::Kind::String, .min = 1, .max = 512};
inline constexpr TypeSpec kTagMap{
    .kind = TypeSpec::Kind::Map, .element = &kStringType, .min = 1, .max = 200};
inline constexpr TypeSpec kTagKeys{
    .kind = TypeSpec::Kind::List, .element = &kStringType, .min = 1, .max = 50};

inline constexpr std::array<std::string_view, 2> kModes{"PROVISIONED", "ON_DEMAND"};
inline constexpr TypeSpec kMode{.kind = TypeSpec::Kind::String, .values = kModes};
inline constexpr std::array kModeFields{FieldSpec{"StreamMode", &kMode, true}};
inline constexpr TypeSpec kModeDetails{
    .kind = TypeSpec::Kind::Structure, .name = "StreamModeDetails", .fields = kModeFields};

inline constexpr std::array kCreateFields{
    FieldSpec{"StreamName", &kStreamName, true}, FieldSpec{"ShardCount", &kShardCount},
    FieldSpec{"StreamModeDetails", &kModeDetails}, FieldSpec{"Tags", &kTagMap}};
inline constexpr TypeSpec kCreateStream{
    .kind = TypeSpec::Kind::Structure, .name = "CreateStreamInput", .fields = kCreateFields};

// DescribeStream, DescribeStreamSummary, DeleteStream: of the last two each has a part.
inline constexpr std::array kNamedFields{
    FieldSpec{"StreamName", &kStreamName}, FieldSpec{"StreamARN", &kStreamArn},
    FieldSpec{"Limit", &kPageCount}, FieldSpec{"ExclusiveStartShardId", &kShardId},
    FieldSpec{"EnforceConsumerDeletion", &kBooleanType}};
inline constexpr TypeSpec kNamedStream{
    .kind = TypeSpec::Kind::Structure, .name = "DescribeStreamInput", .fields = kNamedFields};

inline constexpr std::array kListStreamsFields{FieldSpec{"Limit", &kPageCount},
                                               FieldSpec{"ExclusiveStartStreamName", &kStreamName},
                                               FieldSpec{"NextToken", &kNextToken}};
inline constexpr TypeSpec kListStreams{
    .kind = TypeSpec::Kind::Structure, .name = "ListStreamsInput", .fields = kListStreamsFields};

inline constexpr std::array kListShardsFields{
    FieldSpec{"StreamName", &kStreamName}, FieldSpec{"StreamARN", &kStreamArn},
    FieldSpec{"NextToken", &kNextToken}, FieldSpec{"ExclusiveStartShardId", &kShardId},
    FieldSpec{"MaxResults", &kPageCount}};
inline constexpr TypeSpec kListShards{
    .kind = TypeSpec::Kind::Structure, .name = "ListShardsInput", .fields = kListShardsFields};

inline constexpr std::array<std::string_view, 5> kIteratorTypes{
    "AFTER_SEQUENCE_NUMBER", "LATEST", "AT_TIMESTAMP", "AT_SEQUENCE_NUMBER", "TRIM_HORIZON"};
inline constexpr TypeSpec kIteratorType{.kind = TypeSpec::Kind::String, .values = kIteratorTypes};
inline constexpr std::array kGetIteratorFields{FieldSpec{"StreamName", &kStreamName},
                                               FieldSpec{"StreamARN", &kStreamArn},
                                               FieldSpec{"ShardId", &kShardId, true},
                                               FieldSpec{"ShardIteratorType", &kIteratorType, true},
                                               FieldSpec{"StartingSequenceNumber", &kStringType},
                                               FieldSpec{"Timestamp", &kTimestampType}};
inline constexpr TypeSpec kGetIterator{.kind = TypeSpec::Kind::Structure,
                                       .name = "GetShardIteratorInput",
                                       .fields = kGetIteratorFields};

inline constexpr std::array kGetRecordsFields{FieldSpec{"ShardIterator", &kIterator, true},
                                              FieldSpec{"Limit", &kPageCount},
                                              FieldSpec{"StreamARN", &kStreamArn}};
inline constexpr TypeSpec kGetRecords{
    .kind = TypeSpec::Kind::Structure, .name = "GetRecordsInput", .fields = kGetRecordsFields};

inline constexpr std::array kPutRecordFields{FieldSpec{"StreamName", &kStreamName},
                                             FieldSpec{"StreamARN", &kStreamArn},
                                             FieldSpec{"Data", &kStringType, true},
                                             FieldSpec{"PartitionKey", &kPartitionKey, true},
                                             FieldSpec{"ExplicitHashKey", &kStringType},
                                             FieldSpec{"SequenceNumberForOrdering", &kStringType}};
inline constexpr TypeSpec kPutRecord{
    .kind = TypeSpec::Kind::Structure, .name = "PutRecordInput", .fields = kPutRecordFields};

inline constexpr std::array kEntryFields{FieldSpec{"Data", &kStringType, true},
                                         FieldSpec{"PartitionKey", &kPartitionKey, true},
                                         FieldSpec{"ExplicitHashKey", &kStringType}};
inline constexpr TypeSpec kEntry{
    .kind = TypeSpec::Kind::Structure, .name = "PutRecordsRequestEntry", .fields = kEntryFields};
inline constexpr TypeSpec kEntries{
    .kind = TypeSpec::Kind::List, .element = &kEntry, .min = 1, .max = kRecordsInRequestMax};
inline constexpr std::array kPutRecordsFields{FieldSpec{"StreamName", &kStreamName},
                                              FieldSpec{"StreamARN", &kStreamArn},
                                              FieldSpec{"Records", &kEntries, true}};
inline constexpr TypeSpec kPutRecords{
    .kind = TypeSpec::Kind::Structure, .name = "PutRecordsInput", .fields = kPutRecordsFields};

inline constexpr std::array kAddTagsFields{FieldSpec{"StreamName", &kStreamName},
                                           FieldSpec{"StreamARN", &kStreamArn},
                                           FieldSpec{"Tags", &kTagMap, true}};
inline constexpr TypeSpec kAddTags{
    .kind = TypeSpec::Kind::Structure, .name = "AddTagsToStreamInput", .fields = kAddTagsFields};

inline constexpr std::array kRemoveTagsFields{FieldSpec{"StreamName", &kStreamName},
                                              FieldSpec{"StreamARN", &kStreamArn},
                                              FieldSpec{"TagKeys", &kTagKeys, true}};
inline constexpr TypeSpec kRemoveTags{.kind = TypeSpec::Kind::Structure,
                                      .name = "RemoveTagsFromStreamInput",
                                      .fields = kRemoveTagsFields};

inline constexpr std::array kListTagsFields{
    FieldSpec{"StreamName", &kStreamName}, FieldSpec{"StreamARN", &kStreamArn},
    FieldSpec{"Limit", &kPageCount}, FieldSpec{"ExclusiveStartTagKey", &kStringType}};
inline constexpr TypeSpec kListTags{
    .kind = TypeSpec::Kind::Structure, .name = "ListTagsForStreamInput", .fields = kListTagsFields};

}  // namespace stator::kinesis

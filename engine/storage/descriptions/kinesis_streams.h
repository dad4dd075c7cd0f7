// The streams of Kinesis that this server hosts: their descriptions, in the database Backups, and
// their records, which are records of their spaces. engine/storage/FORMAT.md draws both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/schema/kinesis.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator::storage {

// Empty if there is none of that name in the scope.
Result<std::optional<KinesisStream>> find_kinesis_stream(const Transaction& transaction,
                                                         std::string_view scope,
                                                         std::string_view name);
// The first of the scope whose name is greater than `after`; an empty one stands before all.
Result<std::optional<KinesisStream>> next_kinesis_stream(const Transaction& transaction,
                                                         std::string_view scope,
                                                         std::string_view after);
// Of all scopes.
Result<std::vector<KinesisStream>> all_kinesis_streams(const Transaction& transaction);

Result<void> put_kinesis_stream(WriteTransaction& transaction, const KinesisStream& stream);
// REQUIRES: the caller drops the space.
Result<void> erase_kinesis_stream(WriteTransaction& transaction, const KinesisStream& stream);

// A record of a stream. Views into the bytes it was decoded from.
struct KinesisRecordBytes {
  std::uint64_t number = 0;  // over all shards of the stream; rises with time
  Timestamp arrived;
  std::string_view partition_key;
  std::string_view data;
};
std::string encode_kinesis_record(const KinesisRecordBytes& record);
Result<KinesisRecordBytes> decode_kinesis_record(std::string_view bytes);

// The key of a record in its stream's space: the shard's bytes, then those of the record's number.
std::string kinesis_shard_bytes(std::uint32_t shard);
std::string kinesis_number_bytes(std::uint64_t number);

}  // namespace stator::storage

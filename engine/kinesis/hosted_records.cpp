#include "engine/kinesis/hosted_records.h"

#include "engine/storage/descriptions/kinesis_streams.h"

namespace stator {

PutKinesisRecord put_hosted_record(KinesisStream& stream, const NewKinesisRecord& record,
                                   Timestamp now, Mutation& mutation, Arena& arena) {
  const KinesisHash hash =
      record.explicit_hash ? *record.explicit_hash : kinesis_hash(record.partition_key);
  PutKinesisRecord put;
  put.shard = kinesis_shard_of(hash, static_cast<std::uint32_t>(stream.shard_count));
  const std::uint64_t number = stream.next_record++;
  const std::string bytes =
      storage::encode_kinesis_record({number, now, record.partition_key, record.data});
  mutation.put_record({stream.space, arena.copy(storage::kinesis_shard_bytes(put.shard)),
                       arena.copy(storage::kinesis_number_bytes(number))},
                      arena.copy(bytes));
  put.sequence_number = kinesis_sequence_text({stream.created, put.shard, number, now});
  return put;
}

}  // namespace stator

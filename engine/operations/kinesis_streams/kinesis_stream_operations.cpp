#include "engine/operations/kinesis_streams/kinesis_stream_operations.h"

#include <array>

namespace stator {

// Defined in the files of this folder.
Operation kinesis_add_tags_to_stream_row();
Operation kinesis_create_stream_row();
Operation kinesis_delete_stream_row();
Operation kinesis_describe_stream_row();
Operation kinesis_describe_stream_summary_row();
Operation kinesis_get_records_row();
Operation kinesis_get_shard_iterator_row();
Operation kinesis_list_shards_row();
Operation kinesis_list_streams_row();
Operation kinesis_list_tags_for_stream_row();
Operation kinesis_put_record_row();
Operation kinesis_put_records_row();
Operation kinesis_remove_tags_from_stream_row();

OperationFamily kinesis_stream_operations() {
  static const std::array kRows{
      kinesis_add_tags_to_stream_row(),
      kinesis_create_stream_row(),
      kinesis_delete_stream_row(),
      kinesis_describe_stream_row(),
      kinesis_describe_stream_summary_row(),
      kinesis_get_records_row(),
      kinesis_get_shard_iterator_row(),
      kinesis_list_shards_row(),
      kinesis_list_streams_row(),
      kinesis_list_tags_for_stream_row(),
      kinesis_put_record_row(),
      kinesis_put_records_row(),
      kinesis_remove_tags_from_stream_row(),
  };
  return {kKinesisTarget, kRows};
}

}  // namespace stator

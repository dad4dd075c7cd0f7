#include "streams/operations.h"

#include <array>

namespace stator {

// Each in its own file.
Operation describe_stream_row();
Operation get_records_row();
Operation get_shard_iterator_row();
Operation list_streams_row();

OperationFamily stream_operations() {
  static const std::array kRows{
      describe_stream_row(),
      get_records_row(),
      get_shard_iterator_row(),
      list_streams_row(),
  };
  return {kDynamoDbStreamsTarget, kRows};
}

}  // namespace stator

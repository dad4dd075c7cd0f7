#include "streams/operations.h"

#include <array>

#include "engine/api/families.h"
#include "engine/operations/kinesis_streams/kinesis_stream_operations.h"

namespace stator {

// Each is defined in its own file.
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

std::vector<OperationFamily> all_families() {
  std::vector<OperationFamily> families = engine_families();
  families.push_back(stream_operations());
  return families;
}

std::vector<OperationFamily> served_families() {
  std::vector<OperationFamily> families = all_families();
  families.push_back(kinesis_stream_operations());
  return families;
}

}  // namespace stator

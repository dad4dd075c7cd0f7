#include "engine/operations/kinesis/kinesis_operations.h"

#include <array>

namespace stator {

// A row for each file.
Operation describe_kinesis_streaming_destination_row();
Operation disable_kinesis_streaming_destination_row();
Operation enable_kinesis_streaming_destination_row();
Operation update_kinesis_streaming_destination_row();

OperationFamily kinesis_operations() {
  static const std::array kRows{
      describe_kinesis_streaming_destination_row(),
      disable_kinesis_streaming_destination_row(),
      enable_kinesis_streaming_destination_row(),
      update_kinesis_streaming_destination_row(),
  };
  return {kDynamoDbTarget, kRows};
}

}  // namespace stator

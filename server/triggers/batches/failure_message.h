// The message about records that a function will not get, for the mapping's destination.
#pragma once

#include <string>
#include <string_view>

#include "engine/seams/clock.h"
#include "server/triggers/batches/batch_run.h"

namespace stator::triggers {

struct FailureMessage {
  std::string_view request_id;
  std::string_view function_arn;
  std::string_view stream_arn;
  std::string_view shard_id;
  Timestamp now;
  const Discard& discard;
  // The last call; nullptr: there was none.
  const CallResult* last = nullptr;
};

// REQUIRES: discard.records is not empty. `with_payload`: as for S3, with the whole event.
std::string failure_message(const FailureMessage& message, bool with_payload);

// Whether the destination is a bucket, which gets the event too.
bool is_bucket(std::string_view destination_arn);

// aws/lambda/UUID/SHARD/YYYY/MM/DD/YYYY-MM-DDTHH.MM.SS-REQUEST, as the key in a bucket.
std::string failure_key(std::string_view uuid, std::string_view shard_id, Timestamp now,
                        std::string_view request_id);

}  // namespace stator::triggers

// Refusals of S3, and how jobs report them.
#pragma once

#include <string>

#include "server/data/objects/object_store.h"

namespace stator::data {

struct S3Refusal {
  unsigned status = 0;
  std::string code;  // "NoSuchBucket"
  std::string text;  // for people
  std::string request_id = "null";
  std::string extended_request_id = "null";
};

inline const S3Refusal kNoSuchBucket{404, "NoSuchBucket", "The specified bucket does not exist"};
inline const S3Refusal kNoSuchKey{404, "NoSuchKey", "The specified key does not exist."};

// Code and message as DescribeExport has them in the cloud.
inline StoreFailure s3_failure(const S3Refusal& refusal) {
  return {"S3" + refusal.code,
          refusal.text + " (Service: Amazon S3; Status Code: " + std::to_string(refusal.status) +
              "; Error Code: " + refusal.code + "; Request ID: " + refusal.request_id +
              "; S3 Extended Request ID: " + refusal.extended_request_id + "; Proxy: null)"};
}

}  // namespace stator::data

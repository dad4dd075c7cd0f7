// Members of requests that read or write objects of S3: the model's patterns, which no generic
// check has.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"

namespace stator {

// The member ClientToken.
Result<void> check_client_token(const JsonNode& body);

// The members S3Bucket and S3BucketOwner, where they are present. `place` is that of their
// structure in the request: empty, or with a dot at its end.
Result<void> check_bucket_members(const JsonNode& node, std::string_view place);

// A key of KMS is for its own encryption only.
Result<void> check_key_of_encryption(const JsonNode& node);

// The member S3SseAlgorithm without one.
inline constexpr std::string_view kDefaultEncryption = "AES256";

// A text that may be missing, for a description that outlives the request.
std::optional<std::string> stored_text(const JsonNode& node, std::string_view name);

// ValidationException "Invalid Request: " + why.
Error invalid_request(std::string_view why);

}  // namespace stator

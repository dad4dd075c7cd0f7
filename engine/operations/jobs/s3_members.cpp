#include "engine/operations/jobs/s3_members.h"

#include <algorithm>

#include "protocol/service/common_errors.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_bucket_name(std::string_view text) {
  constexpr std::string_view kMarks = ".-_";
  if (text.size() < 2 || !is_alphanumeric(text.front()) || !is_alphanumeric(text.back()))
    return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_alphanumeric(c) || kMarks.find(c) != std::string_view::npos;
  });
}

bool is_account_id(std::string_view text) {
  return text.size() == 12 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Error pattern_error(const std::string& member, std::string_view value, std::string_view pattern) {
  return constraint_error(
      member, "Member must satisfy regular expression pattern: " + std::string(pattern), value);
}

}  // namespace

Result<void> check_client_token(const JsonNode& body) {
  const auto token = string_member(body, "ClientToken");
  if (token && (token->empty() || token->find('$') != std::string_view::npos))
    return pattern_error("clientToken", *token, "^[^\\$]+$");
  return {};
}

Result<void> check_bucket_members(const JsonNode& node, std::string_view place) {
  const auto bucket = string_member(node, "S3Bucket");
  if (bucket && !is_bucket_name(*bucket)) {
    return pattern_error(std::string(place) + "s3Bucket", *bucket,
                         "^[a-z0-9A-Z]+[\\.\\-\\w]*[a-z0-9A-Z]+$");
  }
  const auto owner = string_member(node, "S3BucketOwner");
  if (owner && !is_account_id(*owner))
    return pattern_error(std::string(place) + "s3BucketOwner", *owner, "[0-9]{12}");
  return {};
}

Result<void> check_key_of_encryption(const JsonNode& node) {
  if (string_member(node, "S3SseKmsKeyId") && string_member(node, "S3SseAlgorithm") != "KMS")
    return invalid_request("KMS Key Id is not supported for this encryption type");
  return {};
}

std::optional<std::string> stored_text(const JsonNode& node, std::string_view name) {
  const auto text = string_member(node, name);
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

Error invalid_request(std::string_view why) {
  return Error::validation("Invalid Request: " + std::string(why));
}

}  // namespace stator

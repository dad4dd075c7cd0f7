#include "engine/tables/tags.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/call/settings.h"
#include "engine/schema/table.h"
#include "protocol/service/arn.h"
#include "protocol/service/common_errors.h"
#include "protocol/service/limits.h"
#include "protocol/shapes/shape.h"
#include "protocol/text/utf8.h"

namespace stator {
namespace {

// Letters, digits, blanks and + - = . _ : / @. Letters of any script are allowed, so all characters
// outside ASCII pass.
bool has_tag_characters(std::string_view text) {
  constexpr std::string_view kMarks = " +-=._:/@";
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           static_cast<unsigned char>(c) >= 0x80 || kMarks.find(c) != std::string_view::npos;
  });
}

Error refused(std::string_view before, std::string_view text) {
  return Error::validation(std::string(before) + std::string(text));
}

Error denied(std::string_view operation, std::string_view arn, const Call& call) {
  const bool has_all_parts = std::count(arn.begin(), arn.end(), ':') >= 5;
  return Error(ErrorCode::AccessDenied,
               "User: arn:aws:iam::" + call.settings->account_id +
                   ":root is not authorized to perform: dynamodb:" + std::string(operation) +
                   " on resource: " + (has_all_parts ? std::string(arn) : "*"));
}

}  // namespace

Error too_many_tags() {
  return Error::validation("Number of Tags exceed the current limit for the provided ResourceArn");
}

Result<void> check_tags(std::span<const JsonNode> tags) {
  std::vector<std::string_view> keys;
  for (const JsonNode& tag : tags) {
    const std::string_view key = *string_member(tag, "Key");
    const std::string_view value = *string_member(tag, "Value");
    if (key.starts_with("aws:")) return refused("Tag Key cannot be prefixed with aws:, Key: ", key);
    if (key.empty() || utf8_length(key) > limits::kTagKeyCharsMax || !has_tag_characters(key)) {
      return refused("The Tag Key provided is invalid, Key: ", key);
    }
    if (utf8_length(value) > limits::kTagValueCharsMax || !has_tag_characters(value)) {
      return refused("The Tag Value provided is invalid, Value: ", value);
    }
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) {
      return refused("Duplicate Tag Keys provided as input: Duplicate Tag Key found ", key);
    }
    keys.push_back(key);
  }
  return {};
}

Result<std::string_view> check_resource_arn(const JsonNode& body, std::string_view operation,
                                            const Call& call) {
  const std::string_view arn = *string_member(body, "ResourceArn");
  const bool is_list = operation == "ListTagsOfResource";
  if (!arn.starts_with("arn:")) {
    if (is_list && call.wording.profile == Profile::Classic) return denied(operation, arn, call);
    return invalid_parameter(std::string("ARNs must start with 'arn:': ").append(arn));
  }
  const auto parts = parse_table_arn(arn);
  if (parts && parts->rest.empty()) {
    const bool is_own =
        parts->account_id == call.settings->account_id &&
        (call.settings->isolation == Isolation::None || parts->region == call.caller.region);
    if (is_own) return arn;
    if (is_list) return denied(operation, arn, call);
    return refused("Invalid TableArn: Invalid ResourceArn provided as input ", arn);
  }
  if (arn.find(":dynamodb:") == std::string_view::npos) {
    return refused("Provided Arn is not a DynamoDB resource arn: ", arn);
  }
  return refused(
      "Invalid resource arn provided, only table or stream is accepted. Provided resource arn: ",
      arn);
}

Result<const Table*> tagged_table(std::string_view resource_arn, const Snapshot& snapshot,
                                  const Call& call) {
  const Table* table = snapshot.find_table(call, resource_arn);
  if (table != nullptr) {
    const TableStatus status = table->status(snapshot.now());
    if (status == TableStatus::Active || status == TableStatus::Updating) return table;
  }
  return resource_not_found(std::string("ResourceArn: ").append(resource_arn).append(" not found"));
}

}  // namespace stator

#include "engine/operations/imports/import_requests.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/operations/jobs/job_start.h"
#include "engine/operations/jobs/s3_members.h"
#include "protocol/json/json_node_text.h"
#include "protocol/service/common_errors.h"
#include "protocol/shapes/shape.h"

namespace stator {
namespace {

constexpr std::string_view kDelimiters = ",;:|\t ";
constexpr std::string_view kDefaultDelimiter = ",";

const JsonNode* csv_options(const JsonNode& body) {
  const JsonNode* options = body.find("InputFormatOptions");
  return options == nullptr ? nullptr : options->find("Csv");
}

// [\x20-\x21\x23-\x2B\x2D-\x7E]*
bool is_header(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != ','; });
}

Result<void> check_csv(const JsonNode& csv) {
  const auto delimiter = string_member(csv, "Delimiter");
  if (delimiter && kDelimiters.find(*delimiter) == std::string_view::npos) {
    return constraint_error("inputFormatOptions.csv.delimiter",
                            "Member must satisfy regular expression pattern: [,;:|\\t ]",
                            *delimiter);
  }
  const auto headers = list_member(csv, "HeaderList");
  if (std::all_of(headers.begin(), headers.end(),
                  [](const JsonNode& header) { return is_header(header.text()); }))
    return {};
  std::string printed;
  for (const JsonNode& header : headers)
    printed.append(printed.empty() ? "[" : ", ").append(header.text());
  return constraint_error(
      "inputFormatOptions.csv.headerList",
      "Member must satisfy constraint: [Member must satisfy regular expression pattern: "
      "[\\x20-\\x21\\x23-\\x2B\\x2D-\\x7E]*]",
      printed + "]");
}

std::string json_of(const JsonNode* node) {
  std::string json;
  if (node != nullptr) append_node_json(json, *node);
  return json;
}

}  // namespace

Result<void> check_import_input(const JsonNode& body) {
  STATOR_CHECK(check_client_token(body));
  STATOR_CHECK(check_bucket_members(*body.find("S3BucketSource"), "s3BucketSource."));
  const JsonNode* csv = csv_options(body);
  if (csv == nullptr) return {};
  STATOR_CHECK(check_csv(*csv));
  const std::string_view format = *string_member(body, "InputFormat");
  if (format == to_text(ImportFormat::Csv)) return {};
  return invalid_request(
      "Unsupported InputFormatOptions for the given input format: " + std::string(format) + ".");
}

ImportRequest import_request_of(const JsonNode& body, std::string_view account_id, Random& random) {
  ImportRequest request;
  request.client_token = client_token_of(body, random);
  const JsonNode& source = *body.find("S3BucketSource");
  request.bucket = *string_member(source, "S3Bucket");
  request.bucket_owner = string_member(source, "S3BucketOwner").value_or(account_id);
  request.prefix = stored_text(source, "S3KeyPrefix");
  request.format = import_format_of(*string_member(body, "InputFormat"));
  if (const auto compression = string_member(body, "InputCompressionType"))
    request.compression = object_compression_of(*compression);
  request.delimiter = kDefaultDelimiter;
  if (const JsonNode* csv = csv_options(body)) {
    request.delimiter = string_member(*csv, "Delimiter").value_or(kDefaultDelimiter);
    for (const JsonNode& header : list_member(*csv, "HeaderList"))
      request.header.emplace_back(header.text());
  }
  request.options_json = json_of(body.find("InputFormatOptions"));
  request.table_json = json_of(body.find("TableCreationParameters"));
  return request;
}

}  // namespace stator

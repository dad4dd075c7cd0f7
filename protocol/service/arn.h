// ARNs of tables and their indexes and streams. Requests may name a table by its ARN.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stator {

// arn:aws:dynamodb:<region>:<account>:table/<name>
std::string table_arn(std::string_view region, std::string_view account_id,
                      std::string_view table_name);
std::string index_arn(std::string_view table_arn, std::string_view index_name);
std::string stream_arn(std::string_view table_arn, std::string_view label);
std::string backup_arn(std::string_view table_arn, std::string_view id);
std::string export_arn(std::string_view table_arn, std::string_view id);
std::string import_arn(std::string_view table_arn, std::string_view id);
std::string bulk_operation_arn(std::string_view table_arn, std::string_view id);

// The parts of a DynamoDB ARN; views into the text.
struct TableArn {
  std::string_view region;
  std::string_view account_id;
  std::string_view table_name;
  std::string_view rest;  // after the table's name, with the leading slash: "/index/by_x",
                          // "/stream/2026-…", or empty
};

// Empty if the text is no ARN of a DynamoDB table.
std::optional<TableArn> parse_table_arn(std::string_view text);

// Whether the text is the ARN of a table itself, and no longer than the service takes.
bool is_arn_of_table(std::string_view text);

}  // namespace stator

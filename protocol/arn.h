// ARNs of tables and what belongs to them, and the rule that a table's ARN is as good as its name.
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

// An ARN of DynamoDB taken apart; views into the text.
struct TableArn {
  std::string_view region;
  std::string_view account_id;
  std::string_view table_name;
  std::string_view rest;  // behind the table's name, with its leading slash: "/index/by_x",
                          // "/stream/2026-…", or empty
};

// Empty when the text is no ARN of a DynamoDB table.
std::optional<TableArn> parse_table_arn(std::string_view text);

}  // namespace stator

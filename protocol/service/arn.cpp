#include "protocol/service/arn.h"

#include "protocol/service/limits.h"

namespace stator {
namespace {

// Removes the text up to the next colon from `rest` and returns it; empty if there is no colon.
std::optional<std::string_view> next_part(std::string_view& rest) {
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view part = rest.substr(0, colon);
  rest.remove_prefix(colon + 1);
  return part;
}

}  // namespace

std::string table_arn(std::string_view region, std::string_view account_id,
                      std::string_view table_name) {
  constexpr std::string_view kBegin = "arn:aws:dynamodb:";
  constexpr std::string_view kTable = ":table/";
  std::string arn;
  arn.reserve(kBegin.size() + region.size() + 1 + account_id.size() + kTable.size() +
              table_name.size());
  arn.append(kBegin).append(region).append(":").append(account_id).append(kTable);
  return arn.append(table_name);
}

std::string index_arn(std::string_view table_arn, std::string_view index_name) {
  std::string arn(table_arn);
  arn.append("/index/").append(index_name);
  return arn;
}

std::string stream_arn(std::string_view table_arn, std::string_view label) {
  std::string arn(table_arn);
  arn.append("/stream/").append(label);
  return arn;
}

std::string backup_arn(std::string_view table_arn, std::string_view id) {
  std::string arn(table_arn);
  arn.append("/backup/").append(id);
  return arn;
}

std::string export_arn(std::string_view table_arn, std::string_view id) {
  std::string arn(table_arn);
  arn.append("/export/").append(id);
  return arn;
}

std::string import_arn(std::string_view table_arn, std::string_view id) {
  std::string arn(table_arn);
  arn.append("/import/").append(id);
  return arn;
}

std::string bulk_operation_arn(std::string_view table_arn, std::string_view id) {
  std::string arn(table_arn);
  arn.append("/bulk-operation/").append(id);
  return arn;
}

std::optional<TableArn> parse_table_arn(std::string_view text) {
  std::string_view rest = text;
  const auto arn = next_part(rest);
  const auto partition = next_part(rest);
  const auto service = next_part(rest);
  const auto region = next_part(rest);
  const auto account_id = next_part(rest);
  if (!account_id || *arn != "arn" || !partition->starts_with("aws") || *service != "dynamodb")
    return std::nullopt;
  constexpr std::string_view kTable = "table/";
  if (!rest.starts_with(kTable)) return std::nullopt;
  rest.remove_prefix(kTable.size());
  const std::size_t slash = rest.find('/');
  const std::string_view name = rest.substr(0, slash);
  if (name.empty()) return std::nullopt;
  return TableArn{*region, *account_id, name,
                  slash == std::string_view::npos ? std::string_view{} : rest.substr(slash)};
}

bool is_arn_of_table(std::string_view text) {
  if (text.size() > limits::kTableArnCharsMax) return false;
  const auto arn = parse_table_arn(text);
  return arn && arn->rest.empty();
}

}  // namespace stator

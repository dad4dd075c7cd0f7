#include "server/cli/commands/capacity_text.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/memory/arena.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/text/shown_number.h"
#include "protocol/values/shown_value.h"
#include "server/explain/explain_text.h"
#include "server/log/log_text.h"

namespace stator {

namespace {

std::string number_in(const JsonNode& object, std::string_view name) {
  return rounded(text_in(object, name), kUnitDecimals);
}

// "299 of 300 left", or for a debt "0 of 300 left, 12 owed". A balance moves with every
// microsecond, so its fractions say nothing.
std::string balance_in(const JsonNode& side, const std::string& name, std::string_view of_what) {
  std::string left = rounded(text_in(side, name), kTokenDecimals);
  std::string owed;
  if (left.starts_with('-')) owed = ", " + std::exchange(left, "0").substr(1) + " owed";
  return ", " + left + " of " + rounded(text_in(side, name + "_max"), kTokenDecimals) + " left" +
         std::string(of_what) + owed;
}

// The key in an entry of the hottest, as the log shows it.
std::string key_in(const JsonNode& entry) {
  const JsonNode* const key = entry.find("key");
  const JsonNode* const is_cut = entry.find("is_cut");
  Arena arena;
  if (key == nullptr || !check_value_types(*key, ValuePlace::Element)) return {};
  const auto value = decode_value(*key, Wording(), arena);
  if (!value) return {};
  return log::escaped(
      shown_key(*value, is_cut != nullptr && is_cut->kind() == JsonNode::Kind::True));
}

std::string side_text(const JsonNode& table, std::string_view name, std::string_view noun) {
  const JsonNode* const side = table.find(name);
  if (side == nullptr) return {};
  std::string line = "  " + std::string(noun) + number_in(*side, "consumed_units") + " units, " +
                     number_in(*side, "last_minute_units") + " in the last minute";
  for (const std::string_view limit : {"provisioned_units", "maximum_units"}) {
    if (side->find(limit) == nullptr) continue;
    line += balance_in(*side, "tokens", " at " + number_in(*side, limit) + " a second");
  }
  if (side->find("account_tokens") != nullptr) {
    line += balance_in(*side, "account_tokens", " of the account's quota");
  }
  line += ", " + number_in(*side, "warm_units") + " a second are warm";
  const JsonNode* const throttled = side->find("throttled");
  if (throttled == nullptr || throttled->members().empty()) return line;
  for (const JsonMember& reason : throttled->members())
    line.append("\n    throttled ").append(reason.value.text()).append(": ").append(reason.name);
  const std::string sufficient = number_in(*side, "sufficient_units");
  if (!sufficient.empty() && sufficient != "0") {
    line += "\n    " + sufficient + " a second would have sufficed in the busiest minute";
  }
  return line;
}

std::string partition_lines(const JsonNode& table) {
  std::string lines;
  std::size_t number = 0;
  for (const JsonNode& partition : table.find("partitions")->elements()) {
    lines += "\n  partition " + std::to_string(++number) + " from " +
             number_in(partition, "first_hash") + " to " + number_in(partition, "last_hash") +
             ": " + number_in(partition, "bytes") + " bytes,";
    for (const std::string_view name : {"read", "write"}) {
      const JsonNode* const side = partition.find(name);
      if (side == nullptr) continue;
      lines.append(name == "read" ? " " : ", ").append(name).append("s ");
      lines += number_in(*side, "last_minute_units") + " in the last minute, " +
               number_in(*side, "throttled") + " throttled";
    }
  }
  return lines;
}

// Splits that happened, and scheduled changes.
std::string change_lines(const JsonNode& table) {
  std::string lines;
  for (const std::string_view name : {"splits", "splits_due"}) {
    for (const JsonNode& split : table.find(name)->elements()) {
      lines.append("\n  ").append(text_in(split, "time")).append(": ");
      lines.append(name == "splits" ? "split at " : "is to be split at ");
      lines += number_in(split, "first_hash") + " for ";
      lines += text_in(split, "cause");
    }
  }
  const auto add_throughput = [&lines](const JsonNode& warming, std::string_view why) {
    lines.append("\n  ").append(text_in(warming, "time")).append(": ");
    lines += number_in(warming, "read_units") + " reads and " + number_in(warming, "write_units") +
             " writes a second will be warm, ";
    lines += why;
  };
  if (const JsonNode* const warming = table.find("warming"))
    add_throughput(*warming, "as was asked for");
  for (const JsonNode& growth : table.find("growths_due")->elements())
    add_throughput(growth, "because of a peak");
  return lines;
}

std::string key_lines(const JsonNode& table, std::string_view name, std::string_view title) {
  const JsonNode* const keys = table.find(name);
  if (keys == nullptr || keys->elements().empty()) return {};
  std::string lines = "\n  " + std::string(title);
  for (const JsonNode& key : keys->elements()) {
    lines.append("\n    ").append(key_in(key)).append(": ");
    lines += number_in(key, "units") + " units";
  }
  return lines;
}

std::string table_text(const JsonNode& table, bool is_whole) {
  std::string text(text_in(table, "table"));
  if (table.find("index") != nullptr) text.append("/").append(text_in(table, "index"));
  text.append(" (").append(text_in(table, "region")).append("): ");
  text.append(text_in(table, "billing_mode")).append(", throttling ");
  text.append(text_in(table, "throttling"));
  const std::size_t partitions = table.find("partitions")->elements().size();
  text += ", " + std::to_string(partitions) + (partitions == 1 ? " partition" : " partitions");
  text += "\n" + side_text(table, "read", "read  ") + "\n" + side_text(table, "write", "write ");
  if (!is_whole) return text;
  return text + partition_lines(table) + key_lines(table, "hottest_keys", "hottest keys") +
         key_lines(table, "throttled_keys", "keys throttled most") + change_lines(table);
}

}  // namespace

std::string capacity_text(const JsonNode& told, bool is_whole) {
  const JsonNode* const tables = told.find("tables");
  if (tables == nullptr || tables->elements().empty()) return "no tables";
  std::string text;
  for (const JsonNode& table : tables->elements()) {
    if (!text.empty()) text += "\n";
    text += table_text(table, is_whole);
  }
  return text;
}

}  // namespace stator

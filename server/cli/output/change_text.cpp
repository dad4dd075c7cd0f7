#include "server/cli/output/change_text.h"

#include <charconv>
#include <string_view>

#include "engine/seams/iso_time.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"
#include "server/cli/output/cells.h"
#include "server/data/formats/item_of.h"
#include "server/data/transfer/json_text.h"
#include "server/log/log_text.h"

namespace stator::client {

namespace {

// A record's parts. An image is empty if the stream's view has none.
struct Change {
  std::string_view event;
  std::string time;
  Item keys;
  Item before;
  Item after;
  bool is_expiry = false;
};

tl::expected<Item, std::string> image_in(const JsonNode& change, std::string_view name,
                                         Arena& arena) {
  const JsonNode* const image = change.find(name);
  if (image == nullptr) return Item{};
  return data::item_of(*image, arena);
}

tl::expected<Change, std::string> read_change(const JsonNode& record, Arena& arena) {
  const JsonNode* const body = record.find("dynamodb");
  if (body == nullptr || body->kind() != JsonNode::Kind::Object)
    return tl::unexpected(std::string{"a record of the response has no changes"});
  Change change;
  change.event = data::text_in(record, "eventName");
  change.time = data::number_text_in(*body, "ApproximateCreationDateTime");
  const JsonNode* const identity = record.find("userIdentity");
  change.is_expiry = identity != nullptr && identity->kind() == JsonNode::Kind::Object &&
                     data::text_in(*identity, "principalId") == "dynamodb.amazonaws.com";
  const struct {
    std::string_view name;
    Item& place;
  } images[] = {{"Keys", change.keys}, {"OldImage", change.before}, {"NewImage", change.after}};
  for (const auto& image : images) {
    auto read = image_in(*body, image.name, arena);
    if (!read) return tl::unexpected("a record of the response: " + read.error());
    image.place = *read;
  }
  return change;
}

std::string side_text(const Value* value) { return value == nullptr ? "-" : cell_text(*value); }

// "n 1 -> 2, t x": each attribute that differs, keys aside.
std::string differences_of(const Change& change) {
  std::string text;
  const auto append = [&text](std::string_view name, const Value* old_value,
                              const Value* new_value) {
    const std::string from = side_text(old_value);
    const std::string to = side_text(new_value);
    if (from == to) return;
    text += (text.empty() ? "" : ", ") + log::escaped(name) + " ";
    text += old_value == nullptr ? to : from + " -> " + to;
  };
  for (const Member& member : change.after) {
    if (find_attribute(change.keys, member.name) == nullptr)
      append(member.name, find_attribute(change.before, member.name), &member.value);
  }
  // A deletion has no new image, and no attribute that differs.
  if (change.after.empty()) return text;
  for (const Member& member : change.before) {
    if (find_attribute(change.after, member.name) == nullptr)
      append(member.name, &member.value, nullptr);
  }
  return text;
}

// "2027-01-01T00:00:00.000Z" of seconds since 1970 as text.
std::string time_text(std::string_view unix_s) {
  double time_s = 0;
  std::from_chars(unix_s.data(), unix_s.data() + unix_s.size(), time_s);
  const Timestamp time{static_cast<std::int64_t>(time_s * 1e6)};
  return iso_extended(time < Timestamp{} ? Timestamp{} : time);
}

std::string text_line(const Change& change) {
  std::string line = time_text(change.time) + " " + std::string{change.event};
  if (change.is_expiry) line += " (expired)";
  for (const Member& key : change.keys)
    line += " " + log::escaped(key.name) + "=" + cell_text(key.value);
  const std::string differences = differences_of(change);
  if (!differences.empty()) line += ": " + differences;
  return line;
}

std::string json_line(const Change& change) {
  std::string line = "{\"event\":\"" + std::string{change.event} + "\",\"time\":" + change.time;
  if (change.is_expiry) line += ",\"expired\":true";
  data::PlainLosses losses;  // what plain JSON has no type for shows as it can
  const auto append = [&](std::string_view name, Item item) {
    if (item.empty()) return;
    line.append(",\"").append(name).append("\":");
    data::append_plain_item(line, item, losses);
  };
  append("keys", change.keys);
  append("old", change.before);
  append("new", change.after);
  return line + "}";
}

}  // namespace

tl::expected<std::string, std::string> change_line(const JsonNode& record, ChangeFormat format) {
  if (format == ChangeFormat::DynamodbJson) {
    std::string line;
    append_node_json(line, record);
    return line;
  }
  Arena arena;
  const auto change = read_change(record, arena);
  if (!change) return tl::unexpected(change.error());
  return format == ChangeFormat::Text ? text_line(*change) : json_line(*change);
}

}  // namespace stator::client

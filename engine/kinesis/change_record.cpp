#include "engine/kinesis/change_record.h"

#include <array>
#include <span>
#include <string_view>

#include "engine/storage/bytes/bytes.h"
#include "engine/storage/bytes/digest.h"
#include "engine/storage/records/item_codec.h"
#include "protocol/json/json_writer.h"
#include "protocol/text/hex.h"
#include "protocol/values/item_size.h"
#include "protocol/values/value.h"

namespace stator {
namespace {

std::string_view text_of(std::span<const unsigned char> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string partition_key_of(const Table& table, const storage::JournalEntry& entry) {
  std::string bytes = table.id;
  storage::ByteWriter out(bytes);
  out.bytes(entry.partition);
  out.raw(entry.sort);
  return hex_of(text_of(storage::md5_of(bytes)), kUpperHexDigits);
}

// A UUID (version 4 in form) that no other record has.
std::string event_id(const Table& table, const KinesisDestination& destination,
                     std::uint64_t change) {
  std::string bytes = table.id;
  storage::ByteWriter out(bytes);
  out.be(destination.number);
  out.be(change);
  auto digest = storage::md5_of(bytes);
  digest[6] = static_cast<unsigned char>((digest[6] & 0x0F) | 0x40);
  digest[8] = static_cast<unsigned char>((digest[8] & 0x3F) | 0x80);
  std::string text = hex_of(text_of(digest));
  for (const std::size_t at : {8U, 13U, 18U, 23U}) text.insert(at, 1, '-');
  return text;
}

struct Keys {
  std::array<Member, 2> members;
  std::size_t count = 1;
};

Keys keys_of(const Table& table, const storage::JournalEntry& entry) {
  const auto key = [](const KeyAttribute& attribute, std::string_view bytes) {
    return Member{attribute.name, Value::scalar(attribute.type, bytes)};
  };
  Keys keys;
  keys.members[0] = key(table.partition_key, entry.partition);
  if (table.sort_key) keys.members[keys.count++] = key(*table.sort_key, entry.sort);
  return keys;
}

std::string_view event_name(const storage::JournalEntry& entry) {
  if (!entry.before) return "INSERT";
  return entry.after ? "MODIFY" : "REMOVE";
}

void write_image(JsonWriter& out, std::string_view name, std::string_view record) {
  out.key(name);
  out.before_value();
  storage::EncodedItem(record).append_json(out.out());
}

void write_change(JsonWriter& out, const Table& table, const KinesisDestination& destination,
                  const storage::JournalEntry& entry) {
  const bool is_micro = destination.precision == KinesisPrecision::Microsecond;
  const Keys keys = keys_of(table, entry);
  std::size_t size_bytes = item_size_bytes(std::span(keys.members).first(keys.count));
  for (const auto& image : {entry.after, entry.before})
    if (image) size_bytes += storage::EncodedItem(*image).size_bytes();
  out.begin_object();
  out.key("ApproximateCreationDateTime");
  out.integer(is_micro ? entry.written.time.unix_us : entry.written.time.unix_ms());
  out.key("Keys");
  out.begin_object();
  for (const Member& member : std::span(keys.members).first(keys.count)) {
    out.key(member.name);
    out.before_value();
    append_value_json(out.out(), member.value);
  }
  out.end_object();
  if (entry.after) write_image(out, "NewImage", *entry.after);
  if (entry.before) write_image(out, "OldImage", *entry.before);
  out.member("SizeBytes", static_cast<std::int64_t>(size_bytes));
  if (is_micro)
    out.member("ApproximateCreationDateTimePrecision", to_text(KinesisPrecision::Microsecond));
  out.end_object();
}

}  // namespace

Result<KinesisChangeRecord> kinesis_change_record(const Table& table,
                                                  const KinesisDestination& destination,
                                                  const storage::NumberedEntry& entry) {
  STATOR_TRY(const auto change, storage::decode_journal_entry(entry.bytes));
  KinesisChangeRecord record;
  record.change = entry.number;
  record.written = change.written.time;
  record.partition_key = partition_key_of(table, change);
  JsonWriter out(record.data);
  out.begin_object();
  out.member("awsRegion", std::string_view(table.region));
  out.member("eventID", std::string_view(event_id(table, destination, entry.number)));
  out.member("eventName", event_name(change));
  out.key("userIdentity");
  if (change.written.origin == storage::Origin::TimeToLive) {
    out.raw(R"({"principalId":"dynamodb.amazonaws.com","type":"Service"})");
  } else {
    out.null();
  }
  out.member("recordFormat", "application/json");
  out.member("tableName", std::string_view(table.name));
  out.key("dynamodb");
  write_change(out, table, destination, change);
  out.member("eventSource", "aws:dynamodb");
  out.end_object();
  return record;
}

}  // namespace stator

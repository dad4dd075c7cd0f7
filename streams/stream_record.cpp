#include "streams/stream_record.h"

#include <cstdio>
#include <span>

#include "engine/storage/damage.h"
#include "engine/storage/item_codec.h"
#include "protocol/item_size.h"
#include "streams/sequence_number.h"

namespace stator {
namespace {

// SplitMix64's finaliser: different numbers stay different.
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EB;
  return number ^ (number >> 31);
}

bool shows_new(StreamViewType view) {
  return view == StreamViewType::NewImage || view == StreamViewType::NewAndOldImages;
}
bool shows_old(StreamViewType view) {
  return view == StreamViewType::OldImage || view == StreamViewType::NewAndOldImages;
}

void write_image(JsonWriter& out, std::string_view name, std::string_view record) {
  out.key(name);
  out.before_value();
  storage::EncodedItem(record).append_json(out.out());
}

}  // namespace

std::string event_id(const Stream& stream, std::uint64_t number) {
  const std::uint64_t high = mixed(stream.seed[0] ^ number);
  const std::uint64_t low = mixed(stream.seed[1] + number);
  std::array<char, 40> text{};
  const int size =
      std::snprintf(text.data(), text.size(), "%016llx%016llx",
                    static_cast<unsigned long long>(high), static_cast<unsigned long long>(low));
  return {text.data(), static_cast<std::size_t>(size)};
}

StreamRecord::StreamRecord(const Stream& stream, std::uint64_t number,
                           const storage::JournalEntry& entry, Arena& arena)
    : stream_(stream), number_(number), entry_(entry) {
  if (!entry.before && !entry.after) throw storage::DamagedData("a change of no item");
  const storage::EncodedItem item(entry.after ? *entry.after : *entry.before);
  const auto key = [&](std::size_t place, const std::string& name) {
    const auto value = item.find(name, arena);
    if (!value) throw storage::DamagedData("an item without its key");
    keys_[place] = {name, *value};
  };
  key(0, stream.partition_key.name);
  if (stream.sort_key) key(key_count_++, stream.sort_key->name);
  size_bytes_ = item_size_bytes(std::span(keys_).first(key_count_));
  shows_after_ = entry.after && shows_new(stream.view_type);
  shows_before_ = entry.before && shows_old(stream.view_type);
  if (shows_after_) size_bytes_ += storage::EncodedItem(*entry.after).size_bytes();
  if (shows_before_) size_bytes_ += storage::EncodedItem(*entry.before).size_bytes();
}

void StreamRecord::write(JsonWriter& out) const {
  out.begin_object();
  out.member("eventID", std::string_view(event_id(stream_, number_)));
  out.member("eventName", !entry_.before ? "INSERT" : entry_.after ? "MODIFY" : "REMOVE");
  out.member("eventVersion", "1.1");
  out.member("eventSource", "aws:dynamodb");
  out.member("awsRegion", std::string_view(stream_.region));
  out.key("dynamodb");
  out.begin_object();
  out.member("ApproximateCreationDateTime", entry_.written.time.unix_s());
  out.key("Keys");
  out.before_value();
  append_item_json(out.out(), std::span(keys_).first(key_count_));
  if (shows_after_) write_image(out, "NewImage", *entry_.after);
  if (shows_before_) write_image(out, "OldImage", *entry_.before);
  out.member("SequenceNumber", std::string_view(sequence_number(number_)));
  out.member("SizeBytes", static_cast<std::int64_t>(size_bytes_));
  out.member("StreamViewType", to_text(stream_.view_type));
  out.end_object();
  if (entry_.written.origin == storage::Origin::TimeToLive) {
    out.key("userIdentity");
    out.begin_object();
    out.member("PrincipalId", "dynamodb.amazonaws.com");
    out.member("Type", "Service");
    out.end_object();
  }
  out.end_object();
}

}  // namespace stator

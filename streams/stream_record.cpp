#include "streams/stream_record.h"

#include <cstring>
#include <span>

#include "engine/storage/damage.h"
#include "engine/storage/item_codec.h"
#include "protocol/item_size.h"
#include "protocol/json_buffer.h"
#include "streams/sequence_number.h"

namespace stator {
namespace {

constexpr auto kHexOfByte = [] {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::array<char, 512> text{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    text[2 * byte] = kHex[byte >> 4];
    text[2 * byte + 1] = kHex[byte & 0xF];
  }
  return text;
}();

// What a record takes beside its images, with keys of a usual length.
constexpr std::size_t kUsualBytes = 640;

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

// A key attribute as a member, without its name.
void append_key_value(JsonBuffer& out, const Value& key) {
  switch (key.type()) {
    case Type::S:
      return out.string_between(R"({"S":")", key.bytes(), R"("})");
    case Type::N:
      if (!out.number_between(R"({"N":")", key.bytes(), R"("})"))
        throw storage::DamagedData("a change of an item whose key is no number");
      return;
    default:
      out.literal(R"({"B":)");
      out.base64(key.bytes());
      out.character('}');
  }
}

}  // namespace

char* write_event_id(char* out, const Stream& stream, std::uint64_t number) {
  for (const std::uint64_t bits :
       {mixed(stream.seed[0] ^ number), mixed(stream.seed[1] + number)}) {
    for (int shift = 56; shift >= 0; shift -= 8, out += 2)
      std::memcpy(out, kHexOfByte.data() + 2 * ((bits >> shift) & 0xFF), 2);
  }
  return out;
}

StreamRecord::StreamRecord(const Stream& stream, std::uint64_t number,
                           const storage::JournalEntry& entry)
    : stream_(stream), number_(number), entry_(entry) {
  if (!entry.before && !entry.after) throw storage::DamagedData("a change of no item");
  const auto key = [](const KeyAttribute& attribute, std::string_view bytes) {
    return Member{attribute.name, Value::scalar(attribute.type, bytes)};
  };
  keys_[0] = key(stream.partition_key, entry.partition);
  if (stream.sort_key) keys_[key_count_++] = key(*stream.sort_key, entry.sort);
  size_bytes_ = item_size_bytes(std::span(keys_).first(key_count_));
  shows_after_ = entry.after && shows_new(stream.view_type);
  shows_before_ = entry.before && shows_old(stream.view_type);
  if (shows_after_) size_bytes_ += storage::EncodedItem(*entry.after).size_bytes();
  if (shows_before_) size_bytes_ += storage::EncodedItem(*entry.before).size_bytes();
}

void StreamRecord::append_keys(JsonBuffer& out) const {
  out.character('{');
  for (std::size_t place = 0; place < key_count_; ++place) {
    if (place > 0) out.character(',');
    out.string_between("\"", keys_[place].name, "\":");
    append_key_value(out, keys_[place].value);
  }
  out.character('}');
}

// From literals: told to a JsonWriter, names that are always the same took a third of a page's
// time.
void StreamRecord::append_json(std::string& out) const {
  const auto image_bytes = [](bool is_shown, const std::optional<std::string_view>& image) {
    return is_shown ? storage::usual_json_bytes(*image) : 0;
  };
  JsonBuffer buffer(out, kUsualBytes + image_bytes(shows_after_, entry_.after) +
                             image_bytes(shows_before_, entry_.before));
  buffer.literal(R"({"eventID":")");
  buffer.written(kEventIdBytes, [&](char* at) { return write_event_id(at, stream_, number_); });
  buffer.literal(R"(","eventName":")");
  buffer.raw(!entry_.before ? "INSERT" : entry_.after ? "MODIFY" : "REMOVE");
  buffer.literal(R"(","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":")");
  buffer.raw(stream_.region);  // as in a signature: nothing to be escaped
  buffer.literal(R"(","dynamodb":{"ApproximateCreationDateTime":)");
  buffer.integer(entry_.written.time.unix_s());
  buffer.literal(R"(,"Keys":)");
  append_keys(buffer);
  if (shows_after_) {
    buffer.literal(R"(,"NewImage":)");
    storage::EncodedItem(*entry_.after).append_json(buffer);
  }
  if (shows_before_) {
    buffer.literal(R"(,"OldImage":)");
    storage::EncodedItem(*entry_.before).append_json(buffer);
  }
  buffer.literal(R"(,"SequenceNumber":")");
  buffer.written(kSequenceNumberBytesMax,
                 [&](char* at) { return write_sequence_number(at, number_); });
  buffer.literal(R"(","SizeBytes":)");
  buffer.integer(static_cast<std::int64_t>(size_bytes_));
  buffer.literal(R"(,"StreamViewType":")");
  buffer.raw(to_text(stream_.view_type));
  buffer.literal("\"}");
  if (entry_.written.origin == storage::Origin::TimeToLive)
    buffer.literal(R"(,"userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"})");
  buffer.character('}');
}

}  // namespace stator

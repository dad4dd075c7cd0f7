#include "streams/stream_record.h"

#include <span>

#include "engine/storage/damage.h"
#include "engine/storage/item_codec.h"
#include "protocol/item_size.h"
#include "protocol/json_buffer.h"
#include "protocol/json_writer.h"
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

std::string event_id(const Stream& stream, std::uint64_t number) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::size_t kDigits = 16;  // of 64 bits
  std::array<char, 2 * kDigits> text;
  const auto put = [&](std::size_t begin, std::uint64_t bits) {
    for (std::size_t place = begin + kDigits; place-- > begin; bits >>= 4)
      text[place] = kHex[bits & 0xF];
  };
  put(0, mixed(stream.seed[0] ^ number));
  put(kDigits, mixed(stream.seed[1] + number));
  return {text.data(), text.size()};
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

void StreamRecord::append_keys(std::string& out) const {
  JsonBuffer buffer(out, 128);
  buffer.character('{');
  for (std::size_t place = 0; place < key_count_; ++place) {
    if (place > 0) buffer.character(',');
    buffer.string_between("\"", keys_[place].name, "\":");
    append_key_value(buffer, keys_[place].value);
  }
  buffer.character('}');
}

// From literals: told to a JsonWriter, names that are always the same took a third of a page's
// time.
void StreamRecord::append_json(std::string& out) const {
  out.append(R"({"eventID":")").append(event_id(stream_, number_));
  out.append(R"(","eventName":")")
      .append(!entry_.before ? "INSERT"
              : entry_.after ? "MODIFY"
                             : "REMOVE");
  out.append(R"(","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":")");
  out.append(stream_.region);  // as in a signature: nothing to be escaped
  out.append(R"(","dynamodb":{"ApproximateCreationDateTime":)");
  JsonWriter(out).integer(entry_.written.time.unix_s());
  out.append(R"(,"Keys":)");
  append_keys(out);
  if (shows_after_) {
    out.append(R"(,"NewImage":)");
    storage::EncodedItem(*entry_.after).append_json(out);
  }
  if (shows_before_) {
    out.append(R"(,"OldImage":)");
    storage::EncodedItem(*entry_.before).append_json(out);
  }
  out.append(R"(,"SequenceNumber":")").append(sequence_number(number_));
  out.append(R"(","SizeBytes":)");
  JsonWriter(out).integer(static_cast<std::int64_t>(size_bytes_));
  out.append(R"(,"StreamViewType":")").append(to_text(stream_.view_type)).append("\"}");
  if (entry_.written.origin == storage::Origin::TimeToLive)
    out.append(R"(,"userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"})");
  out.push_back('}');
}

}  // namespace stator

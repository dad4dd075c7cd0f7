#include "streams/stream_record.h"

#include <array>
#include <cstring>
#include <span>

#include "protocol/json/json_buffer.h"
#include "protocol/values/item_size.h"
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

// Usual size of a record without its images, with keys of a usual length.
constexpr std::size_t kUsualBytes = 640;

// SplitMix64's finaliser: a bijection, so different numbers stay different.
std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EB;
  return number ^ (number >> 31);
}

// Appends a key attribute as a member, without its name.
void append_key_value(JsonBuffer& out, const Value& key) {
  switch (key.type()) {
    case Type::S:
      return out.string_between(R"({"S":")", key.bytes(), R"("})");
    case Type::N:
      if (!out.number_between(R"({"N":")", key.bytes(), R"("})"))
        throw_damaged_change("a change of an item whose key is no number");
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

StreamRecord::StreamRecord(const Stream& stream, const StreamChange& change)
    : stream_(stream),
      change_(change),
      shows_before_(change.before && shows_old_image(stream.view_type)),
      shows_after_(change.after && shows_new_image(stream.view_type)),
      size_bytes_(item_size_bytes(std::span(change.keys).first(change.key_count))) {
  if (shows_after_) size_bytes_ += change.after->size_bytes();
  if (shows_before_) size_bytes_ += change.before->size_bytes();
}

void StreamRecord::append_keys(JsonBuffer& out) const {
  out.character('{');
  for (std::size_t place = 0; place < change_.key_count; ++place) {
    if (place > 0) out.character(',');
    out.string_between("\"", change_.keys[place].name, "\":");
    append_key_value(out, change_.keys[place].value);
  }
  out.character('}');
}

std::size_t StreamRecord::usual_bytes() const {
  const auto image_bytes = [](bool is_shown, const std::optional<ItemImage>& image) {
    return is_shown ? image->usual_json_bytes() : 0;
  };
  return kUsualBytes + image_bytes(shows_after_, change_.after) +
         image_bytes(shows_before_, change_.before);
}

// Uses literals: writing the constant names with a JsonWriter took a third of a page's time.
void StreamRecord::append_members(JsonBuffer& buffer) const {
  buffer.literal(R"({"eventID":")");
  buffer.written(kEventIdBytes,
                 [&](char* at) { return write_event_id(at, stream_, change_.number); });
  buffer.literal(R"(","eventName":")");
  buffer.raw(!change_.before ? "INSERT" : change_.after ? "MODIFY" : "REMOVE");
  buffer.literal(R"(","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":")");
  buffer.raw(stream_.region);  // as in a signature: needs no escapes
  buffer.literal(R"(","dynamodb":{"ApproximateCreationDateTime":)");
  buffer.integer(change_.written.unix_s());
  buffer.literal(R"(,"Keys":)");
  append_keys(buffer);
  if (shows_after_) {
    buffer.literal(R"(,"NewImage":)");
    change_.after->append_json(buffer);
  }
  if (shows_before_) {
    buffer.literal(R"(,"OldImage":)");
    change_.before->append_json(buffer);
  }
  buffer.literal(R"(,"SequenceNumber":")");
  buffer.written(kSequenceNumberBytesMax,
                 [&](char* at) { return write_sequence_number(at, change_.number); });
  buffer.literal(R"(","SizeBytes":)");
  buffer.integer(static_cast<std::int64_t>(size_bytes_));
  buffer.literal(R"(,"StreamViewType":")");
  buffer.raw(to_text(stream_.view_type));
  buffer.literal("\"}");
}

void StreamRecord::append_json(std::string& out) const {
  JsonBuffer buffer(out, usual_bytes());
  append_members(buffer);
  if (change_.is_expiry)
    buffer.literal(R"(,"userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"})");
  buffer.character('}');
}

void StreamRecord::append_event_json(std::string& out, std::string_view stream_arn) const {
  JsonBuffer buffer(out, usual_bytes() + stream_arn.size());
  append_members(buffer);
  if (change_.is_expiry)
    buffer.literal(R"(,"userIdentity":{"principalId":"dynamodb.amazonaws.com","type":"Service"})");
  buffer.string_between(R"(,"eventSourceARN":")", stream_arn, R"("})");
}

}  // namespace stator

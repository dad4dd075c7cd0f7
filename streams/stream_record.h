// A stream record, as clients read it: made from a change, with the members that the
// stream's view type selects (conformance/observed/streams.md 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/api/stream_reader.h"
#include "engine/schema/stream.h"

namespace stator {

class JsonBuffer;

class StreamRecord {
 public:
  // Both must outlive the record. Throws as ItemImage does, like append_json().
  StreamRecord(const Stream& stream, const StreamChange& change);

  // Bytes of the keys and of each image in the record.
  std::size_t size_bytes() const { return size_bytes_; }
  void append_json(std::string& out) const;
  // As a function of AWS Lambda receives it: other names in userIdentity, and the stream's ARN.
  void append_event_json(std::string& out, std::string_view stream_arn) const;

 private:
  std::size_t usual_bytes() const;
  // Up to the member `dynamodb`, without the last brace.
  void append_members(JsonBuffer& out) const;
  void append_keys(JsonBuffer& out) const;

  const Stream& stream_;
  const StreamChange& change_;
  bool shows_before_;
  bool shows_after_;
  std::size_t size_bytes_;
};

// Writes hexadecimal digits that no other record of the stream has; returns their end.
inline constexpr std::size_t kEventIdBytes = 32;
char* write_event_id(char* out, const Stream& stream, std::uint64_t number);

}  // namespace stator

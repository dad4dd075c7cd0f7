// A change of an item as the record that clients read: derived from the journal's entry, with what
// the stream's view type shows (conformance/observed/streams.md 5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/schema/stream.h"
#include "engine/storage/journal.h"
#include "protocol/value.h"

namespace stator {

class JsonBuffer;

class StreamRecord {
 public:
  // All must outlive it. Throws storage::DamagedData.
  StreamRecord(const Stream& stream, std::uint64_t number, const storage::JournalEntry& entry);

  // Of the keys and of each image that is shown.
  std::size_t size_bytes() const { return size_bytes_; }
  // Throws storage::DamagedData.
  void append_json(std::string& out) const;

 private:
  void append_keys(JsonBuffer& out) const;

  const Stream& stream_;
  const std::uint64_t number_;
  const storage::JournalEntry& entry_;
  std::array<Member, 2> keys_;
  std::size_t key_count_ = 1;
  bool shows_before_ = false;
  bool shows_after_ = false;
  std::size_t size_bytes_ = 0;
};

// Hexadecimal digits, of no other record of the stream. Returns their end.
inline constexpr std::size_t kEventIdBytes = 32;
char* write_event_id(char* out, const Stream& stream, std::uint64_t number);

}  // namespace stator

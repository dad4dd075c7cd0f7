// A record of the undo log: an old value by the number of its mark, its database and its key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/storage/lmdb/databases.h"
#include "protocol/errors/result.h"

namespace stator::storage {

// Bytes of a key before the record's key: mark, database, form.
inline constexpr std::size_t kUndoMarkBytes = 4;
inline constexpr std::size_t kUndoPrefixBytes = kUndoMarkBytes + 2;

class UndoKey {
 public:
  static UndoKey of(std::uint32_t mark, Database database, std::string_view key);
  std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

struct UndoRecord {
  std::string key;
  std::optional<std::string> before;  // empty if the record did not exist
};

std::string encode_undo(std::string_view key, const std::optional<std::string_view>& before);
Result<UndoRecord> decode_undo(std::string_view bytes);

}  // namespace stator::storage

#include "server/triggers/batches/trigger_record.h"

namespace stator::triggers {

// FNV-1a, with a last step that mixes its high bits into the low ones.
std::uint32_t lane_of(std::string_view partition_key, std::uint32_t lanes) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : partition_key) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1'099'511'628'211U;
  }
  hash ^= hash >> 32;
  return lanes <= 1 ? 0 : static_cast<std::uint32_t>(hash % lanes);
}

}  // namespace stator::triggers

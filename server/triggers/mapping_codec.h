// The stored form of mappings and positions (engine/storage/FORMAT.md, Documents).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/triggers/mapping.h"
#include "server/triggers/mapping_store.h"

namespace stator::triggers {

// JSON with a member for each value that is not the default. A reader ignores members that it does
// not know.
std::string encode_mapping(const Mapping& mapping);
// Empty: damaged.
std::optional<Mapping> decode_mapping(std::string text);

// The name of a position's document, and the part that all of a mapping's share.
std::string position_prefix(std::string_view uuid);
std::string position_key(std::string_view uuid, std::string_view shard_id, std::uint32_t lane);
std::string encode_position(const ShardPosition& position);
// Empty: damaged. `key` is the document's.
std::optional<ShardPosition> decode_position(std::string_view key, std::string_view value);

}  // namespace stator::triggers

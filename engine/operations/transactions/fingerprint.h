// Fingerprints: whether two requests with one token are the same.
#pragma once

#include <array>

#include "engine/storage/bytes/digest.h"
#include "protocol/json/json_tree.h"
#include "protocol/memory/arena.h"

namespace stator {

using Fingerprint = std::array<char, storage::kDigestBytes>;

// Fingerprint of the request as sent. The order of members and null members do not matter; the
// order of elements and the spelling of numbers do.
Fingerprint fingerprint_of(const JsonNode& node, Arena& arena);

}  // namespace stator

// Fingerprints: whether two requests with one token ask for the same.
#pragma once

#include <array>

#include "engine/storage/digest.h"
#include "protocol/arena.h"
#include "protocol/json_tree.h"

namespace stator {

using Fingerprint = std::array<char, storage::kDigestBytes>;

// Of what a request asks for, as it was sent: the order of members does not matter, nor do those
// that are null; the order of elements does, and how numbers are written.
Fingerprint fingerprint_of(const JsonNode& node, Arena& arena);

}  // namespace stator

// Shared by BatchGetItem and BatchWriteItem.
#pragma once

#include <string_view>
#include <vector>

#include "engine/call/call.h"
#include "engine/schema/table.h"
#include "engine/state/snapshot.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/shapes/shape.h"

namespace stator {

// Checks JSON types and constraints of a batch, whose RequestItems must not be empty.
// `classic_shape`, whose map has a minimum, is used in the classic profile.
Result<void> check_batch(const JsonNode& body, const TypeSpec& shape, const TypeSpec& classic_shape,
                         const Call& call);

// The entries of RequestItems in the order of the text; of entries with one name the last.
std::vector<const JsonMember*> batch_entries(const JsonNode& body);

// `Too many items requested for the … call`.
Error too_many_items(const Call& call);
// `Provided list of item keys contains duplicates`.
Error duplicate_keys();

}  // namespace stator

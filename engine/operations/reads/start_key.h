// ExclusiveStartKey and LastEvaluatedKey as members: where a page begins and
// where it ended (engine/pages/start_position.h).
#pragma once

#include <optional>
#include <string_view>

#include "engine/pages/read_target.h"
#include "protocol/arena.h"
#include "protocol/json_tree.h"
#include "protocol/json_writer.h"
#include "protocol/result.h"
#include "protocol/value.h"
#include "protocol/wording.h"

namespace stator {

// The member's values, or empty without it. Errors: those of the values alone.
Result<std::optional<Item>> read_start_key(const JsonNode& body, Wording wording, Arena& arena);

// The member "LastEvaluatedKey": the key attributes of the last record that was
// looked at. May use the arena for a moment.
void write_last_evaluated_key(JsonWriter& out, const ReadTarget& target, std::string_view record,
                              Arena& scratch);

}  // namespace stator

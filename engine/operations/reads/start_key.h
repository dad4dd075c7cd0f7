// The members ExclusiveStartKey and LastEvaluatedKey: where a page begins and ended
// (engine/pages/start_position.h).
#pragma once

#include <optional>
#include <string_view>

#include "engine/pages/read_target.h"
#include "protocol/errors/result.h"
#include "protocol/json/json_tree.h"
#include "protocol/json/json_writer.h"
#include "protocol/memory/arena.h"
#include "protocol/service/wording.h"
#include "protocol/values/value.h"

namespace stator {

// The member's values; empty if absent. Errors: those of the values alone.
Result<std::optional<Item>> read_start_key(const JsonNode& body, Wording wording, Arena& arena);

// Writes the member "LastEvaluatedKey": the key attributes of the last record read. Uses the arena
// temporarily.
void write_last_evaluated_key(JsonWriter& out, const ReadTarget& target, std::string_view record,
                              Arena& scratch);

}  // namespace stator

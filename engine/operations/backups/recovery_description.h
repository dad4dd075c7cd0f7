// Writes the description of a table's continuous backups.
#pragma once

#include "engine/call/call.h"
#include "engine/schema/table.h"
#include "engine/seams/clock.h"

namespace stator {

// Renders the response of DescribeContinuousBackups and UpdateContinuousBackups.
void render_continuous_backups(const Table& table, Timestamp now, Call& call);

}  // namespace stator

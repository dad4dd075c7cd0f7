// MarkState: the state that is rolled back with the data to a mark
// (engine/storage/environment/undo_log.h) but is no record: the time and how it passed, and the
// tables' throttling modes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/catalog/catalog.h"
#include "engine/schema/runtime.h"
#include "engine/schema/space.h"
#include "engine/seams/clock.h"
#include "engine/seams/movable_clock.h"
#include "engine/storage/environment/transaction.h"
#include "protocol/errors/result.h"

namespace stator {

struct MarkState {
  Timestamp made;  // the engine's time
  ClockPace pace;
  // Spaces from this one on did not exist: their records are removed whatever happens to the mark.
  storage::SpaceId first_new_space{};
  // Tables with a mode of their own.
  std::vector<std::pair<storage::SpaceId, Throttling>> throttling;
};

// The modes of tables that have their own.
std::vector<std::pair<storage::SpaceId, Throttling>> throttling_of(const Catalog& catalog);

std::string encode_mark_state(const MarkState& state);
// An error says that the data is damaged.
Result<MarkState> decode_mark_state(std::string_view bytes);

// Whether the records of a dropped space must stay, because a rollback to a mark may need them.
Result<bool> is_retained_by_mark(const storage::WriteTransaction& transaction,
                                 storage::SpaceId space);

}  // namespace stator

// MarkState: what goes back with the data to a mark (engine/storage/undo_log.h) without being a
// record of it: the time and how it passed, and what tables were set to do with requests beyond
// their throughput.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/schema/runtime.h"
#include "engine/schema/space.h"
#include "engine/seams/clock.h"
#include "engine/seams/movable_clock.h"
#include "engine/state/catalog.h"
#include "engine/storage/transaction.h"
#include "protocol/result.h"

namespace stator {

struct MarkState {
  Timestamp made;  // the engine's time
  ClockPace pace;
  // Spaces from this one on were not there: what they have goes whatever becomes of the mark.
  storage::SpaceId first_new_space{};
  // Tables with a choice of their own.
  std::vector<std::pair<storage::SpaceId, Throttling>> throttling;
};

// What tables are set to.
std::vector<std::pair<storage::SpaceId, Throttling>> throttling_of(const Catalog& catalog);

std::string encode_mark_state(const MarkState& state);
// The error says that the data is damaged.
Result<MarkState> decode_mark_state(std::string_view bytes);

// Whether the records of a dropped space must stay, for a mark may lead back to them.
Result<bool> is_kept_by_mark(const storage::WriteTransaction& transaction, storage::SpaceId space);

}  // namespace stator

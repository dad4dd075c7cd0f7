// Reset: removes tables at once, whatever their state, protection and size, and forgets the tokens
// that clients used: who begins anew may use them again.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "engine/call/work.h"

namespace stator {

class Engine;

struct Reset {
  std::size_t tables = 0;  // removed that could be seen
  bool is_whole = false;   // false: could not be stored, or the audience left
};

// Removes the tables and tokens of all scopes (engine/state/snapshot.h) that `is_meant`, some in
// each commit. Tables made meanwhile may go too. Their records are swept later, like those of any
// table.
Reset reset_tables(Engine& engine, const std::function<bool(std::string_view scope)>& is_meant,
                   Audience& audience);

}  // namespace stator

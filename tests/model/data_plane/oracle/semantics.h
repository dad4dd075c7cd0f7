// What conditions, projections and updates mean, by the written rules.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/model/data_plane/oracle/syntax.h"

namespace stator::model {

// The value a path leads to, or nullptr.
const Value* find(const Item& item, const Path& path);

bool matches(const Condition& condition, const Item& item);
bool matches(const LegacyConditions& conditions, const Item& item);
bool matches(const KeyCondition& condition, const Item& item);

// The parts of `item` that the paths name.
Item project(const Item& item, const std::vector<Path>& paths);

struct Updated {
  // What is wrong with the update, as the service would say it; it names one of them. Empty: done.
  std::set<std::string> errors;
  Item item;
};
// What the update is charged with against the limit on its size. `before` is the item, or the key.
std::size_t charge_bytes(const Update& update, const Item& before);
// The attributes that a condition names, in the order of its text, repeated ones too.
std::vector<std::string> attributes_of(const Condition& condition);
// Applies an update to the stored item, or to none (nullptr), which becomes `key`.
Updated apply(const Update& update, const Item* stored, const Item& key);

}  // namespace stator::model

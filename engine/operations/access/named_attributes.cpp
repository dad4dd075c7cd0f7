#include "engine/operations/access/named_attributes.h"

#include <span>

#include "engine/pages/read_plan.h"
#include "protocol/expression/updates/update.h"
#include "protocol/partiql/lowering.h"

namespace stator {
namespace {

void add_first_names(std::span<const expr::Path> paths, TextSet& names) {
  for (const expr::Path& path : paths) names.add(path.front().name);
}

}  // namespace

void add_named_attributes(const Resource& resource, TextSet& names, Arena& scratch) {
  for (const Member& attribute : resource.key) names.add(attribute.name);
  for (const expr::KeyCondition& condition : resource.key_conditions)
    names.add(condition.attribute);
  add_first_names(paths_of(resource.condition, scratch), names);
  if (resource.update != nullptr) add_first_names(expr::all_paths(*resource.update), names);
  if (resource.projection != nullptr) add_first_names(resource.projection->paths, names);
  if (resource.statement == nullptr) return;
  for (const partiql::SortKey& key : resource.statement->order) names.add(key.name);
}

}  // namespace stator

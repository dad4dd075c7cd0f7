#include "engine/items/key_paths.h"

#include <algorithm>
#include <string>

#include "protocol/errors/rule.h"

namespace stator {
namespace {

bool is_index_key(const Table& table, std::string_view name) {
  const auto has_key = [&](const auto& index) {
    return is_one_of(index.partition_keys, name) || is_one_of(index.sort_keys, name);
  };
  return std::any_of(table.global_indexes.begin(), table.global_indexes.end(), has_key) ||
         std::any_of(table.local_indexes.begin(), table.local_indexes.end(), has_key);
}

}  // namespace

Result<void> check_key_paths(const Table& table, std::span<const expr::Path> paths) {
  constexpr std::string_view kText =
      "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
      "allowed: ";
  const auto is_nested = [](const expr::Path& path) { return path.size() > 1; };
  if (std::none_of(paths.begin(), paths.end(), is_nested)) return {};
  const auto refuse = [&](const char* kind, std::string_view name) {
    return Error::validation(std::string(kText).append(kind).append(": ").append(name))
        .with_rule(Rule::ScalarKey, {name});
  };
  for (const expr::Path& path : paths) {
    const std::string_view name = path.front().name;
    if (is_nested(path) && table.is_key(name)) return refuse("Key", name);
  }
  for (const expr::Path& path : paths) {
    const std::string_view name = path.front().name;
    if (is_nested(path) && is_index_key(table, name)) return refuse("IndexKey", name);
  }
  return {};
}

Result<void> check_key_paths(const Table& table, const expr::Projection* projection) {
  return projection == nullptr ? Result<void>() : check_key_paths(table, projection->paths);
}

}  // namespace stator

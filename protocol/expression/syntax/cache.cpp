#include "protocol/expression/syntax/cache.h"

#include <type_traits>

#include "protocol/expression/syntax/tree_copy.h"

namespace stator::expr {

ExpressionCache::ExpressionCache(Limits limits)
    : limits_{limits.entries_max / kShards, limits.bytes_max / kShards} {}

template <class Tree>
constexpr std::size_t ExpressionCache::grammar() {
  if (std::is_same_v<Tree, ParsedCondition>) return 0;
  return std::is_same_v<Tree, std::span<Path>> ? 1 : 2;
}

template <class Tree>
std::optional<Tree> ExpressionCache::find(std::string_view text, Arena& arena) {
  Shard& shard = shard_of(text);
  // Copies under the lock, because a full shard frees its trees.
  const std::lock_guard lock(shard.mutex);
  const Trees& trees = shard.trees[grammar<Tree>()];
  const auto found = trees.find(text);
  if (found == trees.end()) return std::nullopt;
  return TreeCopier(found->first, text, arena).copy(std::get<Tree>(found->second));
}

template <class Tree>
void ExpressionCache::keep(std::string_view text, const Tree& tree) {
  Shard& shard = shard_of(text);
  const std::lock_guard lock(shard.mutex);
  if (shard.trees[grammar<Tree>()].contains(text)) return;
  if (shard.entries >= limits_.entries_max || shard.arena.capacity_bytes() >= limits_.bytes_max) {
    for (Trees& trees : shard.trees) trees.clear();
    shard.arena.reset();
    shard.entries = 0;
  }
  const std::string_view key = shard.arena.copy(text);
  shard.trees[grammar<Tree>()].emplace(key, TreeCopier(text, key, shard.arena).copy(tree));
  ++shard.entries;
}

template std::optional<ParsedCondition> ExpressionCache::find(std::string_view, Arena&);
template std::optional<std::span<Path>> ExpressionCache::find(std::string_view, Arena&);
template std::optional<Update*> ExpressionCache::find(std::string_view, Arena&);
template void ExpressionCache::keep(std::string_view, const ParsedCondition&);
template void ExpressionCache::keep(std::string_view, const std::span<Path>&);
template void ExpressionCache::keep(std::string_view, Update* const&);

}  // namespace stator::expr

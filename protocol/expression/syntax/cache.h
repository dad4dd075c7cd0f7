// ExpressionCache: trees of expressions parsed before. Applications send the same few texts
// repeatedly, and copying a tree costs a tenth of parsing its text. Texts with an error are not
// cached.
//
// Safe to use from all threads. Memory is bounded: a full shard drops all its entries, which costs
// each text still in use one more parse.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "protocol/errors/result.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/expression/syntax/messages.h"
#include "protocol/expression/syntax/parser.h"
#include "protocol/memory/arena.h"

namespace stator::expr {

class ExpressionCache {
 public:
  struct Limits {
    std::size_t entries_max = 4096;
    std::size_t bytes_max = 8 * 1024 * 1024;  // texts and trees; exceeded by at most a chunk
  };

  ExpressionCache() : ExpressionCache(Limits{}) {}
  explicit ExpressionCache(Limits limits);

  // A copy in `arena`, referring to `text`, of the cached tree; empty if not cached. Tree is
  // ParsedCondition, std::span<Path> or Update*; the grammar is part of the key.
  template <class Tree>
  std::optional<Tree> find(std::string_view text, Arena& arena);

  // Caches a copy of the tree just parsed from `text`. REQUIRES: no placeholder in it is resolved
  // yet.
  template <class Tree>
  void keep(std::string_view text, const Tree& tree);

 private:
  static constexpr std::size_t kShards = 8;

  using AnyTree = std::variant<ParsedCondition, std::span<Path>, Update*>;
  using Trees = std::unordered_map<std::string_view, AnyTree>;  // by text, which the arena holds

  struct Shard {
    std::mutex mutex;
    Arena arena;
    std::array<Trees, std::variant_size_v<AnyTree>> trees;
    std::size_t entries = 0;
  };

  template <class Tree>
  static constexpr std::size_t grammar();
  Shard& shard_of(std::string_view text) {
    return shards_[std::hash<std::string_view>()(text) % kShards];
  }

  const Limits limits_;
  std::array<Shard, kShards> shards_;
};

// Calls parse_*_text() through the cache; without it if `cache` is nullptr.
template <class Tree, class Parse>
Result<Tree> parse_cached(std::string_view text, const Messages& messages, ExpressionCache* cache,
                          Arena& arena, Parse parse) {
  if (cache == nullptr) return parse(text, messages, arena);
  if (const auto known = cache->find<Tree>(text, arena)) return *known;
  Result<Tree> parsed = parse(text, messages, arena);
  if (parsed) cache->keep<Tree>(text, *parsed);
  return parsed;
}

}  // namespace stator::expr

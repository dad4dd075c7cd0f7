// StatementCache: trees of statements parsed before. A tree never changes, so all users share it.
// Texts with an error are not cached.
//
// Safe to use from all threads. Memory is bounded: a full shard drops all its entries.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "protocol/errors/result.h"
#include "protocol/memory/arena.h"
#include "protocol/partiql/tree.h"

namespace stator::partiql {

// A statement with all it refers to.
struct ParsedStatement {
  std::string text;
  Arena arena;
  const Statement* statement = nullptr;
};

class StatementCache {
 public:
  // Texts and trees together; a shard exceeds its part by at most one statement.
  static constexpr std::size_t kBytesMax = 8 * 1024 * 1024;

  explicit StatementCache(std::size_t bytes_max = kBytesMax) : bytes_max_(bytes_max / kShards) {}

  // Returns the cached tree of `text`, or calls parse_statement() (statement_parser.h).
  Result<std::shared_ptr<const ParsedStatement>> parse(std::string_view text);

 private:
  static constexpr std::size_t kShards = 8;

  struct Shard {
    std::mutex mutex;
    // Keyed by the text that the statement holds.
    std::unordered_map<std::string_view, std::shared_ptr<const ParsedStatement>> statements;
    std::size_t bytes = 0;
  };

  const std::size_t bytes_max_;
  std::array<Shard, kShards> shards_;
};

}  // namespace stator::partiql

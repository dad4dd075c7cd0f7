// StatementCache: trees of statements parsed before. A tree never changes, so whoever uses one
// shares it. Texts with an error are not kept.
//
// Safe to use from all threads. Memory is bounded: a shard that is full forgets all it has.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "protocol/arena.h"
#include "protocol/partiql/tree.h"
#include "protocol/result.h"

namespace stator::partiql {

// A statement with all it refers to.
struct ParsedStatement {
  std::string text;
  Arena arena;
  const Statement* statement = nullptr;
};

class StatementCache {
 public:
  // Of texts and trees; a shard exceeds its part by at most one statement.
  static constexpr std::size_t kBytesMax = 8 * 1024 * 1024;

  explicit StatementCache(std::size_t bytes_max = kBytesMax) : bytes_max_(bytes_max / kShards) {}

  // parse_statement() (statement_parser.h), unless the text is known.
  Result<std::shared_ptr<const ParsedStatement>> parse(std::string_view text);

 private:
  static constexpr std::size_t kShards = 8;

  struct Shard {
    std::mutex mutex;
    // By the text, which the statement holds.
    std::unordered_map<std::string_view, std::shared_ptr<const ParsedStatement>> statements;
    std::size_t bytes = 0;
  };

  const std::size_t bytes_max_;
  std::array<Shard, kShards> shards_;
};

}  // namespace stator::partiql

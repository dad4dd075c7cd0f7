// The reads of a SELECT. If every branch of WHERE gives the partition key by `=` or IN, a Query for
// each value or pair of values; otherwise a Scan.
#pragma once

#include <cstddef>
#include <span>

#include "engine/pages/read_target.h"
#include "engine/storage/stores/item_store.h"
#include "protocol/errors/result.h"
#include "protocol/expression/evaluation/key_condition.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/memory/arena.h"
#include "protocol/partiql/lowering.h"
#include "protocol/service/wording.h"

namespace stator {

inline constexpr std::size_t kKeyReadsMax = 50;

struct KeyReads {
  bool is_scan = false;
  // In reading order; empty for a Scan.
  std::span<const std::span<const expr::KeyCondition>> reads = {};
  storage::Direction direction = storage::Direction::Forward;
  // Condition for records in these ranges; nullptr: all match.
  const expr::Condition* filter = nullptr;
  // Paths of the filter for which reads of an index are rejected.
  std::span<const expr::Path> not_carried = {};
};

// Errors: values of wrong types, overlapping ranges, too many reads, an ORDER BY that the keys
// cannot provide.
Result<KeyReads> find_key_reads(const partiql::Lowered& statement, const ReadTarget& target,
                                Wording wording, Arena& arena);

// Returns the errors that the reads of a SELECT would have. In a batch or a transaction a SELECT
// must be a lookup; these errors come before the lookup error. Ignores values of wrong types.
Result<void> check_key_reads(const partiql::Lowered& statement, const Table& table, Wording wording,
                             Arena& arena);

}  // namespace stator

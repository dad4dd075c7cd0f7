// The reads that a SELECT comes to: where WHERE gives the partition key by `=` or IN in every one
// of its branches, a Query for each value or pair of values; otherwise a Scan.
#pragma once

#include <cstddef>
#include <span>

#include "engine/pages/read_target.h"
#include "engine/storage/item_store.h"
#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/expression/key_condition.h"
#include "protocol/partiql/lowering.h"
#include "protocol/result.h"
#include "protocol/wording.h"

namespace stator {

inline constexpr std::size_t kKeyReadsMax = 50;

struct KeyReads {
  bool is_scan = false;
  // In the order in which they are read; empty for a Scan.
  std::span<const std::span<const expr::KeyCondition>> reads = {};
  storage::Direction direction = storage::Direction::Forward;
  // What records in these ranges must meet; nullptr: they all do.
  const expr::Condition* filter = nullptr;
  // Of the filter, for which reads of an index are refused.
  std::span<const expr::Path> not_carried = {};
};

// Errors: values of wrong types, ranges that overlap, too many reads, an ORDER BY that the keys do
// not give.
Result<KeyReads> find_key_reads(const partiql::Lowered& statement, const ReadTarget& target,
                                Wording wording, Arena& arena);

// Of a SELECT of a batch or a transaction that is no lookup: the errors of the reads that it would
// come to, which come before that. Values of wrong types are none.
Result<void> check_key_reads(const partiql::Lowered& statement, const Table& table, Wording wording,
                             Arena& arena);

}  // namespace stator

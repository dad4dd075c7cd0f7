// Reads a value from a record of which only some elements are needed: those as values, the rest of
// large lists and maps as runs. So the cost of changing a few elements does not depend on the
// number of elements, except for one pass over each. Internal to this folder.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "engine/storage/records/record_layout.h"
#include "protocol/expression/syntax/ast.h"
#include "protocol/memory/arena.h"
#include "protocol/values/value.h"

namespace stator::storage {

// Smaller lists and maps are as fast to decode.
inline constexpr std::size_t kOpenedBytesMin = 1024;

struct PartialValue {
  Value value;
  std::size_t run_bytes = 0;  // bytes of the record in runs
};

// Reads the value of the attribute `name`. REQUIRES: `paths` are sorted
// (protocol/expression/resolution/paths.h). Every element and member on a path becomes a value of
// its own; other elements of lists and maps of at least `bytes_min` become runs. The value refers
// to the record and to `arena`.
PartialValue read_opened(RecordReader& reader, std::string_view name,
                         std::span<const expr::Path> paths, Arena& arena,
                         std::size_t bytes_min = kOpenedBytesMin);

// Reads `count` elements of a list as one run. `depth` is their level (read_value()).
ElementRun read_run(RecordReader& reader, std::size_t count, std::size_t depth);
// Reads members of a map as one run: at most `most`, and only names before `end`.
ElementRun read_member_run(RecordReader& reader, std::size_t most,
                           std::optional<std::string_view> end, std::size_t depth);

}  // namespace stator::storage

// A value of which some elements are asked for, out of a record: those as values, the others of
// large lists and maps as runs. So what a change of a few elements costs does not depend on how
// many there are, beyond one look at each. Internal to this folder.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "engine/storage/record_layout.h"
#include "protocol/arena.h"
#include "protocol/expression/ast.h"
#include "protocol/value.h"

namespace stator::storage {

// Smaller lists and maps are decoded as fast.
inline constexpr std::size_t kOpenedBytesMin = 1024;

struct OpenedValue {
  Value value;
  std::size_t run_bytes = 0;  // of the record, in runs
};

// Reads the value of the attribute `name`. `paths` are sorted (protocol/expression/paths.h); every
// element and member that one leads to or through is one of its own, the others of lists and maps
// with so many bytes or more stand in runs. The value refers to the record and to `arena`.
OpenedValue read_opened(RecordReader& reader, std::string_view name,
                        std::span<const expr::Path> paths, Arena& arena,
                        std::size_t bytes_min = kOpenedBytesMin);

// Reads so many elements of a list as one run. `depth` is their level (read_value()).
ElementRun read_run(RecordReader& reader, std::size_t count, std::size_t depth);
// Likewise members of a map, at most so many, up to the first that `end` is not behind.
ElementRun read_member_run(RecordReader& reader, std::size_t most,
                           std::optional<std::string_view> end, std::size_t depth);

}  // namespace stator::storage

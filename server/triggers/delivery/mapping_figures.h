// What a mapping has done, as numbers.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace stator::triggers {

// Since the server began.
struct MappingCounts {
  std::uint64_t delivered = 0;                           // records that the function has done
  std::uint64_t filtered = 0;                            // records that no filter matched
  std::uint64_t discarded = 0;                           // records that were given up
  std::map<std::string_view, std::uint64_t> calls = {};  // by outcome, which is a constant
};

struct MappingFigures {
  std::string uuid;
  std::string function_arn;
  MappingCounts counts = {};
  std::chrono::microseconds lag{0};  // the age of the oldest record that waits for its function
};

}  // namespace stator::triggers

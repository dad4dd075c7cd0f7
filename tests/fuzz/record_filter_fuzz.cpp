// Two lines: a pattern and a record. What is refused is refused with a reason; what is accepted
// answers, and its explanation says the same as its answer.
#include "streams/filters/record_filter.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "protocol/json/json_reader.h"
#include "protocol/memory/arena.h"

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  const std::string pattern = text.substr(0, end);
  const auto filter = stator::compile_filter(pattern);
  if (!filter) {
    demand(!filter.error().reason.empty());
    return 0;
  }
  std::string record = end == std::string::npos ? pattern : text.substr(end + 1);
  stator::Arena arena;
  const auto json = stator::read_json(record, arena);
  if (!json) return 0;
  const auto mismatch = filter->explain(*json);
  demand(filter->matches(*json) == !mismatch);
  if (mismatch) demand(!mismatch->reason.empty());
  return 0;
}

#include "server/explain/requests/index_units.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

namespace stator {

namespace {

// Takes the text up to `end` off `rest`, and `end` too.
std::string_view take_until(std::string_view& rest, char end) {
  const std::size_t size = std::min(rest.find(end), rest.size());
  const std::string_view taken = rest.substr(0, size);
  rest.remove_prefix(std::min(size + 1, rest.size()));
  return taken;
}

}  // namespace

// Names of tables and indexes have neither spaces nor line ends.
IndexUnitsText::IndexUnitsText(std::span<const IndexUse> uses) {
  for (const IndexUse& use : uses) {
    std::array<char, std::numeric_limits<std::int64_t>::digits10 + 2> digits;
    const char* const digits_end =
        std::to_chars(digits.data(), digits.data() + digits.size(), use.units_milli).ptr;
    const std::string_view units(digits.data(), digits_end);
    const std::size_t line_bytes = use.table_name.size() + use.index_name.size() + units.size() + 3;
    whole_bytes_ += line_bytes;
    if (size_ + line_bytes > bytes_.size()) continue;
    const auto append = [&](std::string_view part, char end) {
      const auto* const behind = std::copy(part.begin(), part.end(), bytes_.begin() + size_);
      size_ = static_cast<std::size_t>(behind - bytes_.begin());
      bytes_[size_++] = end;
    };
    append(use.table_name, ' ');
    append(use.index_name, ' ');
    append(units, '\n');
  }
}

std::vector<IndexUse> recorded_index_uses(const RecentRequest& request) {
  std::vector<IndexUse> uses;
  std::string_view rest = request.text(RecentRequest::Part::IndexUnits);
  while (!rest.empty()) {
    IndexUse use{};
    use.table_name = take_until(rest, ' ');
    use.index_name = take_until(rest, ' ');
    const std::string_view units = take_until(rest, '\n');
    std::from_chars(units.data(), units.data() + units.size(), use.units_milli);
    uses.push_back(use);
  }
  return uses;
}

}  // namespace stator

// AttributesToGet to a projection.
#include "protocol/expression/legacy_projection.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/attribute_value.h"
#include "protocol/byte_order.h"
#include "protocol/expression/legacy_entries.h"
#include "protocol/shape.h"
#include "protocol/wording.h"

namespace stator::expr {

namespace {

// That of the first name that is wrong or repeats one before it, if there is one.
std::optional<Error> find_mistake(std::span<const std::string_view> names) {
  const std::size_t repeated = first_repeated(names);
  for (std::size_t i = 0; i < names.size() && i <= repeated; ++i) {
    if (auto checked = check_attribute_name(names[i]); !checked) return std::move(checked).error();
  }
  if (repeated == names.size()) return std::nullopt;
  return Error::validation(std::string(kInvalidParameter) +
                           "Duplicate value in attribute name: " + std::string(names[repeated]));
}

}  // namespace

Result<const Projection*> read_attributes_to_get(const JsonNode& body, Arena& arena) {
  const auto names = list_member(body, "AttributesToGet");
  if (names.empty()) return nullptr;
  const auto sorted_names = arena.allocate_array<std::string_view>(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    sorted_names[i] = names[i].text();
  }
  if (auto mistake = find_mistake(sorted_names)) return *std::move(mistake);
  sort_by_bytes(sorted_names);
  const auto paths = arena.allocate_array<Path>(names.size());
  const auto sorted = arena.allocate_array<Path>(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    paths[i] = whole_attribute(names[i].text(), arena);
    sorted[i] = whole_attribute(sorted_names[i], arena);
  }
  return arena.make<Projection>(paths, sorted);
}

}  // namespace stator::expr

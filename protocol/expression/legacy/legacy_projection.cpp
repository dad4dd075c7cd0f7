// Converts AttributesToGet to a projection.
#include "protocol/expression/legacy/legacy_projection.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/service/common_errors.h"
#include "protocol/service/wording.h"
#include "protocol/shapes/attribute_value.h"
#include "protocol/shapes/shape.h"
#include "protocol/values/byte_order.h"

namespace stator::expr {

namespace {

// The error of the first name that is invalid or repeats an earlier one, if any.
std::optional<Error> find_mistake(std::span<const std::string_view> names, std::size_t repeated) {
  for (std::size_t i = 0; i < names.size() && i <= repeated; ++i) {
    if (auto checked = check_attribute_name(names[i]); !checked) return std::move(checked).error();
  }
  if (repeated == names.size()) return std::nullopt;
  return invalid_parameter("Duplicate value in attribute name: " + std::string(names[repeated]));
}

}  // namespace

Result<const Projection*> read_attributes_to_get(const JsonNode& body, Arena& arena) {
  // An invalid name is usually among the first; then the others need no check.
  constexpr std::size_t kFirst = 1024;
  const auto nodes = list_member(body, "AttributesToGet");
  if (nodes.empty()) return nullptr;
  const auto names = arena.allocate_array<std::string_view>(nodes.size());
  DistinctOrder order;
  for (std::size_t done = 0; done < nodes.size();) {
    const std::size_t count = done == 0 ? std::min(kFirst, nodes.size()) : nodes.size();
    for (; done < count; ++done) new (&names[done]) std::string_view(nodes[done].text());
    order = order_if_distinct(names.first(count));
    if (auto mistake = find_mistake(names.first(count), order.first_repeated))
      return *std::move(mistake);
  }
  const auto elements = arena.allocate_array<PathElement>(names.size());
  const auto paths = arena.allocate_array<Path>(names.size());
  const auto sorted = arena.allocate_array<Path>(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    new (&elements[i]) PathElement{.text = names[i], .name = names[i]};
    new (&paths[i]) Path(&elements[i], 1);
    new (&sorted[i]) Path(&elements[order.places[i]], 1);
  }
  return arena.make<Projection>(paths, sorted);
}

}  // namespace stator::expr

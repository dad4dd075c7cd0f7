#include "engine/call/scope.h"

#include <algorithm>
#include <initializer_list>

#include "engine/call/settings.h"
#include "protocol/service/arn.h"

namespace stator {

namespace {

// The texts one after the other, in the arena.
std::string_view joined(Arena& arena, std::initializer_list<std::string_view> parts) {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  const auto text = arena.allocate_array<char>(size);
  std::size_t at = 0;
  for (const std::string_view part : parts) {
    std::copy(part.begin(), part.end(), text.begin() + static_cast<std::ptrdiff_t>(at));
    at += part.size();
  }
  return {text.data(), text.size()};
}

}  // namespace

std::string_view scope_of(const Call& call, Arena& arena) {
  return scope_in(call.caller.region, call, arena);
}

std::string_view scope_in(std::string_view region, const Call& call, Arena& arena) {
  const std::string_view prefix = call.settings->scope_prefix;
  switch (call.settings->isolation) {
    case Isolation::None:
      return prefix;
    case Isolation::Region:
      return prefix.empty() ? region : joined(arena, {prefix, region});
    case Isolation::Key:
      break;
  }
  return joined(arena, {prefix, call.caller.access_key, "/", region});
}

std::string_view table_name_of(std::string_view name_or_arn) {
  if (!name_or_arn.starts_with("arn:")) return name_or_arn;
  const auto arn = parse_table_arn(name_or_arn);
  return arn ? arn->table_name : name_or_arn;
}

}  // namespace stator

// Rebuilds the item in one walk over the edits; parts that no edit touches are shared with the item
// before.
#include "protocol/expression/updates/update_edits.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <string_view>

#include "protocol/errors/rule.h"
#include "protocol/expression/resolution/paths.h"
#include "protocol/service/common_errors.h"
#include "protocol/service/limits.h"

namespace stator::expr {
namespace {

Error invalid_path() {
  return Error::validation(
             "The document path provided in the update expression is invalid for update")
      .with_rule(Rule::UpdatePath);
}

// Number of levels in a value: a scalar or set has one.
std::size_t depth_of(const Value& value) {
  if (value.is_run()) return value.run().depth;
  std::size_t deepest = 0;
  if (value.type() == Type::L) {
    for (const Value& element : value.elements()) deepest = std::max(deepest, depth_of(element));
  } else if (value.type() == Type::M) {
    for (const Member& member : value.members()) {
      deepest = std::max(deepest, depth_of(member.value));
    }
  }
  return deepest + 1;
}

// A value may be too deep at its target although it was within the limit at its source.
Result<void> check_depth(const Edit& edit) {
  if (edit.target.size() - 1 + depth_of(*edit.value) <= limits::kValueDepthMax) return {};
  return nesting_error();
}

// Takes the leading edits of `rest` that share the step at `depth`.
Edits take_group(Edits& rest, std::size_t depth) {
  std::size_t count = 1;
  // An edit of the whole member or element is the only one in its group.
  const bool is_alone = rest[0].target.size() == depth + 1;
  while (!is_alone && count < rest.size() &&
         is_same_step(rest[0].target[depth], rest[count].target[depth])) {
    ++count;
  }
  const Edits group = rest.first(count);
  rest = rest.subspan(count);
  return group;
}

class Rebuilder {
 public:
  Rebuilder(bool exists, Arena& arena) : exists_(exists), arena_(arena) {}

  // `members` with the edits applied; the edits' steps up to `depth` lead to `members`. REQUIRES:
  // no target is in a run.
  Result<std::span<const Member>> members(Edits edits, std::size_t depth,
                                          std::span<const Member> members) {
    const auto out = arena_.allocate_array<Member>(members.size() + edits.size());
    std::size_t count = 0;
    std::size_t before_members = 0;  // edits known to come before the first member
    const bool are_most_new = edits.size() / kManyEditsEach > members.size();
    while (!edits.empty()) {
      if (are_most_new && before_members == 0) before_members = count_before(edits, depth, members);
      const Edits group = take_group(edits, depth);
      const std::string_view name = group.front().target[depth].name;
      if (before_members > 0) {
        before_members -= group.size();
        STATOR_TRY(const std::optional<Value> value, edited(group, depth + 1, nullptr));
        if (value) out[count++] = {name, *value};
        continue;
      }
      while (!members.empty() && members.front().name < name) {
        out[count++] = members.front();
        members = members.subspan(1);
      }
      const Value* old = nullptr;
      if (!members.empty() && members.front().name == name) {
        old = &members.front().value;
        members = members.subspan(1);
      }
      STATOR_TRY(const std::optional<Value> value, edited(group, depth + 1, old));
      if (value) out[count++] = {name, *value};
    }
    std::copy(members.begin(), members.end(), out.begin() + static_cast<std::ptrdiff_t>(count));
    return out.first(count + members.size());
  }

 private:
  // From this many edits per member on, a binary search finds each member among the edits.
  static constexpr std::size_t kManyEditsEach = 64;

  // The number of edits whose names sort before the first member.
  static std::size_t count_before(Edits edits, std::size_t depth, std::span<const Member> members) {
    if (members.empty()) return edits.size();
    const auto end = std::partition_point(edits.begin(), edits.end(), [&](const Edit& edit) {
      return edit.target[depth].name < members.front().name;
    });
    return static_cast<std::size_t>(end - edits.begin());
  }

  // `elements` with the edits applied. REQUIRES: no target is in a run.
  Result<std::span<const Value>> elements(Edits edits, std::size_t depth,
                                          std::span<const Value> elements) {
    const auto out = arena_.allocate_array<Value>(elements.size() + edits.size());
    std::size_t count = 0;
    std::size_t next = 0;  // the first element not copied yet
    std::uint64_t at = 0;  // its index
    const auto keep_next = [&] {
      at += elements[next].is_run() ? elements[next].run().count : 1;
      out[count++] = elements[next++];
    };
    while (!edits.empty()) {
      const Edits group = take_group(edits, depth);
      const std::uint64_t index = group.front().target[depth].index;
      while (next < elements.size() && at < index) keep_next();
      const Value* old = nullptr;
      if (next < elements.size()) {
        assert(at == index);
        old = &elements[next++];
        ++at;
      }
      STATOR_TRY(const std::optional<Value> value, edited(group, depth + 1, old));
      if (value) out[count++] = *value;
    }
    while (next < elements.size()) keep_next();
    return out.first(count);
  }

  // Returns `old` (null if absent) after the edits. The steps before `depth` lead to `old`.
  Result<std::optional<Value>> edited(Edits group, std::size_t depth, const Value* old) {
    const Edit& first = group.front();
    if (first.target.size() == depth) {
      assert(group.size() == 1);
      if (first.value) STATOR_CHECK(check_depth(first));
      return first.value;
    }
    // No two targets conflict, so the first step decides whether all need a list or a map.
    const bool is_list = first.target[depth].is_index;
    if (old == nullptr || old->type() != (is_list ? Type::L : Type::M)) {
      const bool removes_only = std::none_of(
          group.begin(), group.end(), [](const Edit& edit) { return edit.value.has_value(); });
      if (old == nullptr && removes_only && !exists_) return std::optional<Value>();
      return invalid_path();
    }
    if (is_list) {
      STATOR_TRY(const auto values, elements(group, depth, old->elements()));
      return std::optional<Value>(Value::list(values, old->holds_runs()));
    }
    STATOR_TRY(const auto values, members(group, depth, old->members()));
    return std::optional<Value>(Value::map(values, old->holds_runs()));
  }

  const bool exists_;
  Arena& arena_;
};

}  // namespace

Result<Item> rebuild(Item before, Edits edits, bool exists, Arena& arena) {
  return Rebuilder(exists, arena).members(edits, 0, before);
}

}  // namespace stator::expr

// member_count(): how many members an aggregate has, so that a list of them is checked to be whole.
#pragma once

#include <cstddef>
#include <utility>

namespace stator {

// Converts to the type of any member. Never called: it exists for the compiler's checks.
struct AnyMember {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};

template <class Aggregate, std::size_t... I>
constexpr bool takes_members(std::index_sequence<I...> /*count*/) {
  return requires { Aggregate{(static_cast<void>(I), AnyMember{})...}; };
}

// REQUIRES: no member is an array or itself unfit for copying.
template <class Aggregate, std::size_t Known = 0>
consteval std::size_t member_count() {
  if constexpr (takes_members<Aggregate>(std::make_index_sequence<Known + 1>())) {
    return member_count<Aggregate, Known + 1>();
  } else {
    return Known;
  }
}

}  // namespace stator

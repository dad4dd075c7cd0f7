// Result<T>: a value or an Error. Expected failures are returned as values. Exceptions are for bugs
// and exhausted memory only: throwing costs about a hundred times as much as returning.
#pragma once

#include <utility>

#include <tl/expected.hpp>

#include "protocol/errors/error.h"

namespace stator {

// tl::expected is not nodiscard; this is.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  // NOLINTNEXTLINE(google-explicit-constructor): `return Error::validation(...)` reads well.
  Result(Error error) : tl::expected<T, Error>(tl::unexpect, std::move(error)) {}
};

}  // namespace stator

#define STATOR_CONCAT_INNER(a, b) a##b
#define STATOR_CONCAT(a, b) STATOR_CONCAT_INNER(a, b)

// STATOR_TRY(auto name, expression): declares `name` from a Result's value or returns its Error.
#define STATOR_TRY(declaration, expression)                            \
  auto STATOR_CONCAT(stator_result_, __LINE__) = (expression);         \
  if (!STATOR_CONCAT(stator_result_, __LINE__))                        \
    return std::move(STATOR_CONCAT(stator_result_, __LINE__)).error(); \
  declaration = std::move(*STATOR_CONCAT(stator_result_, __LINE__))

// STATOR_CHECK(expression): returns the Error of a Result<void>, if any.
#define STATOR_CHECK(expression)                                 \
  do {                                                           \
    auto stator_status = (expression);                           \
    if (!stator_status) return std::move(stator_status).error(); \
  } while (false)

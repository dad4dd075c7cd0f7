// Billed sizes of values; those of items are in tests/cases/protocol/values.cases.
#include "protocol/values/item_size.h"

#include <catch2/catch.hpp>

#include "protocol/values/value.h"

namespace stator {
namespace {

TEST_CASE("item_size: measures values without a name", "[protocol]") {
  CHECK(value_size_bytes(Value::null()) == 1);
  CHECK(value_size_bytes(Value::boolean(false)) == 1);
  CHECK(value_size_bytes(Value::string("")) == 0);
  CHECK(value_size_bytes(Value::binary("abc")) == 3);
  CHECK(value_size_bytes(Value::list({})) == 3);
  CHECK(value_size_bytes(Value::map({})) == 3);
}

}  // namespace
}  // namespace stator

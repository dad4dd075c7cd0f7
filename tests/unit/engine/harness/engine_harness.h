// EngineHarness: an engine in memory for unit tests, and request bodies they use again and again.
#pragma once

#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "tests/unit/engine/harness/engine_driver.h"
#include "tests/unit/engine/harness/table_text.h"

namespace stator::test {

using EngineHarness = EngineDriver;

// Bodies used again and again.
inline std::string hash_table(std::string_view name) {
  return create_table_request(std::string(name) + " (pk)");
}
inline std::string named(std::string_view name, std::string_view more = {}) {
  return R"({"TableName":")" + std::string(name) + "\"" + std::string(more) + "}";
}

}  // namespace stator::test

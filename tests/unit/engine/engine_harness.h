// EngineHarness: an engine in memory for unit tests, and request bodies they use again and again.
#pragma once

#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "tests/unit/engine/engine_driver.h"

namespace stator::test {

using EngineHarness = EngineDriver;

// Bodies used again and again.
inline std::string hash_table(std::string_view name, std::string_view more = {}) {
  return R"({"TableName":")" + std::string(name) +
         R"(","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
         R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST")" +
         std::string(more) + "}";
}
inline std::string named(std::string_view name, std::string_view more = {}) {
  return R"({"TableName":")" + std::string(name) + "\"" + std::string(more) + "}";
}
inline std::string validation(std::string_view message) {
  return R"({"__type":"com.amazon.coral.validate#ValidationException","message":")" +
         std::string(message) + "\"}";
}
inline std::string in_use(std::string_view message) {
  return R"({"__type":"com.amazonaws.dynamodb.v20120810#ResourceInUseException","message":")" +
         std::string(message) + "\"}";
}
inline std::string not_found(std::string_view message) {
  return R"({"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":")" +
         std::string(message) + "\"}";
}

}  // namespace stator::test

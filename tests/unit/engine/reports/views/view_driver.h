// What the tests of views share: an engine with a table, and a look at its state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "engine/api/engine.h"
#include "engine/api/table_view.h"
#include "tests/unit/engine/harness/engine_harness.h"

namespace stator::test {

// The driver's clock is 123 ms further.
inline constexpr std::int64_t kDriverNow_s = 1'790'000'000;

struct Patience final : StopCondition {
  bool should_stop() noexcept override { return is_over; }
  bool is_over = false;
};

// Returns what `take` makes of a snapshot.
template <class View, class Take>
View view_of(Engine& engine, const Take& take) {
  View view;
  Engine::Reader reader(engine);
  REQUIRE(engine.look(reader, [&](const Snapshot& snapshot) -> Result<void> {
    STATOR_TRY(view, take(snapshot));
    return {};
  }));
  return view;
}

inline void require_ok(EngineDriver& driver, std::string_view operation, const std::string& body) {
  const Answer answer = driver.call(operation, body);
  INFO(operation << ": " << answer.json);
  REQUIRE(answer.ok);
}

// Puts items with the keys from `begin` up to, but not including, `end`, and these attributes.
inline void put_many(EngineDriver& driver, std::string_view table, int begin, int end,
                     const std::string& attributes) {
  constexpr int kBatch = 25;
  for (int first = begin; first < end; first += kBatch) {
    std::string requests;
    for (int key = first; key < std::min(first + kBatch, end); ++key) {
      requests += requests.empty() ? "" : ",";
      requests += R"({"PutRequest":{"Item":{"pk":{"S":")" + std::to_string(key) + R"("})" +
                  attributes + "}}}";
    }
    require_ok(driver, "BatchWriteItem",
               R"({"RequestItems":{")" + std::string(table) + R"(":[)" + requests + "]}}");
  }
}

inline std::string enabled_expiry(std::string_view table) {
  return named(table, R"(,"TimeToLiveSpecification":{"Enabled":true,"AttributeName":"ends"})");
}

inline void enable_expiry(EngineDriver& driver, std::string_view table) {
  require_ok(driver, "UpdateTimeToLive", enabled_expiry(table));
  while (driver.sweep()) {
  }
}

inline std::string ending(std::int64_t unix_s) {
  return R"(,"ends":{"N":")" + std::to_string(unix_s) + R"("})";
}

}  // namespace stator::test

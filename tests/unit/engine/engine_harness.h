// EngineHarness: an engine in memory that stands at a movable time, driven with JSON as a client
// would.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/engine.h"
#include "protocol/json_reader.h"

namespace stator::test {

// What a call answered: JSON of the reply, or of the error.
struct Answer {
  bool ok = false;
  std::string json;
  std::int64_t units_milli = 0;

  // The text behind `"name":` up to the next comma or closing bracket of the same depth; empty when
  // there is none.
  std::string member(std::string_view name) const {
    const std::string quoted = "\"" + std::string(name) + "\":";
    const std::size_t start = json.find(quoted);
    if (start == std::string::npos) return {};
    std::size_t i = start + quoted.size();
    int depth = 0;
    bool in_string = false;
    const std::size_t begin = i;
    for (; i < json.size(); ++i) {
      const char c = json[i];
      if (in_string) {
        if (c == '\\') ++i;
        if (c == '"') in_string = false;
        continue;
      }
      if (c == '"') in_string = true;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      if (depth < 0 || (depth == 0 && c == ',')) break;
    }
    return json.substr(begin, i - begin);
  }
};

class EngineHarness {
 public:
  explicit EngineHarness(Settings settings = {}) : settings_(std::move(settings)) { open(); }

  void open() {
    auto opened = Engine::open(settings_, clock_, random_,
                               [this](const std::string& line) { warnings.push_back(line); });
    if (!opened) FAIL(opened.error());
    engine_ = std::move(*opened);
  }
  void reopen() {
    engine_.reset();
    open();
  }

  Answer call(std::string_view operation, std::string body, std::string_view region = "us-east-1",
              std::string_view access_key = "key") {
    Call call;
    call.operation = find_operation("DynamoDB_20120810." + std::string(operation));
    REQUIRE(call.operation != nullptr);
    call.caller = {region, access_key, "localhost:8000"};
    const auto root = read_json(body, call.arena);
    REQUIRE(root);
    if (auto parsed = engine_->parse(*root, call); !parsed)
      return {false, parsed.error().render(), 0};
    if (call.operation->access == Access::Read) {
      storage::ReadTransaction transaction(engine_->environment());
      if (auto result = engine_->read(call, transaction); !result)
        return {false, result.error().render(), 0};
      return {true, call.reply, call.units_milli};
    }
    return write(call);
  }

  bool sweep() { return engine_->sweep(); }

  ManualClock& clock() { return clock_; }
  std::vector<std::string> warnings;

 private:
  class Job final : public WriteJob {
   public:
    using WriteJob::WriteJob;
    void done(bool committed) noexcept override {
      outcome(committed);
      is_done = true;
    }
    bool is_done = false;
  };

  Answer write(Call& call) {
    Job job(*engine_, call);
    if (engine_->commit_queue().push(job)) {
      while (engine_->commit_queue().lead()) {
      }
    }
    REQUIRE(job.is_done);
    auto& error = job.outcome(true);
    if (error) return {false, error->render(), 0};
    return {true, call.reply, call.units_milli};
  }

  Settings settings_;
  ManualClock clock_{Timestamp{1'790'000'000'123'000}};
  SeededRandom random_{42};
  std::unique_ptr<Engine> engine_;
};

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

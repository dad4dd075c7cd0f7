// StreamHarness: an engine with the operations on streams, and a reader that follows a stream as
// clients do.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/unit/engine/harness/engine_harness.h"
#include "tests/unit/engine/harness/read_pages.h"

namespace stator::test {

inline std::string unquoted(std::string text) {
  std::erase(text, '"');
  return text;
}

class StreamHarness : public EngineDriver {
 public:
  using EngineDriver::EngineDriver;

  std::string ok(std::string_view operation, const std::string& body) {
    Answer answer = call(operation, body);
    if (!answer.ok) throw std::runtime_error(std::string(operation) + ": " + answer.json);
    return answer.json;
  }

  // Makes a table with a stream of both images; returns the stream's ARN.
  std::string make_table(const std::string& name = "Things") {
    const std::string made =
        ok("CreateTable",
           create_table_request(name + R"( (pk) {"StreamSpecification":{"StreamEnabled":true,)"
                                       R"("StreamViewType":"NEW_AND_OLD_IMAGES"}})"));
    return unquoted(Answer{true, made, 0}.member("LatestStreamArn"));
  }
  void put(const std::string& key, const std::string& value) {
    ok("PutItem",
       R"({"TableName":"Things","Item":{"pk":{"S":")" + key + R"("},"v":{"S":")" + value + "\"}}}");
  }
  void maintain_all() {
    while (maintain().is_due) {
    }
  }

  struct ShardText {
    std::string id;
    std::string parent;
    std::string start;
    std::string end;
  };
  std::vector<ShardText> shards(const std::string& arn) {
    std::vector<ShardText> found;
    std::string after;
    for (;;) {
      std::string body = R"({"Limit":3,"StreamArn":")";
      body.append(arn).append("\"").append(after).append("}");
      const Answer page{true, ok("DescribeStream", body), 0};
      for (const std::string& element : elements_of(page.member("Shards"))) {
        const Answer shard{true, element, 0};
        found.push_back({unquoted(shard.member("ShardId")), unquoted(shard.member("ParentShardId")),
                         unquoted(shard.member("StartingSequenceNumber")),
                         unquoted(shard.member("EndingSequenceNumber"))});
      }
      const std::string last = page.member("LastEvaluatedShardId");
      if (last.empty()) return found;
      after = R"(,"ExclusiveStartShardId":)" + last;
    }
  }

  std::string iterator(const std::string& arn, const std::string& shard,
                       const std::string& type = "TRIM_HORIZON") {
    const std::string answer =
        ok("GetShardIterator", R"({"StreamArn":")" + arn + R"(","ShardId":")" + shard +
                                   R"(","ShardIteratorType":")" + type + "\"}");
    return unquoted(Answer{true, answer, 0}.member("ShardIterator"));
  }
  Answer page(const std::string& token, std::size_t limit = 1000) {
    return call("GetRecords",
                R"({"ShardIterator":")" + token + R"(","Limit":)" + std::to_string(limit) + "}");
  }
  // All records of a shard that there are now, in pages.
  std::vector<std::string> records(const std::string& arn, const std::string& shard,
                                   std::size_t limit = 1000) {
    std::vector<std::string> all;
    std::string token = iterator(arn, shard);
    for (;;) {
      const Answer answer = page(token, limit);
      if (!answer.ok) throw std::runtime_error("GetRecords: " + answer.json);
      const auto found = elements_of(answer.member("Records"));
      all.insert(all.end(), found.begin(), found.end());
      token = unquoted(answer.member("NextShardIterator"));
      if (token.empty() || found.empty()) return all;
    }
  }
};

}  // namespace stator::test

#include "server/cli/client/watch.h"

#include <unistd.h>

#include <chrono>
#include <optional>
#include <utility>

#include "protocol/json/json_writer.h"
#include "server/cli/client/result_pages.h"
#include "server/cli/output/standard_output.h"
#include "server/data/transfer/dynamodb_client.h"
#include "server/data/transfer/interrupt.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/page_cycle.h"

namespace stator::client {

namespace {

using data::DynamodbClient;
using data::Failure;

constexpr std::chrono::milliseconds kPause{200};  // after a round without a record
// Rounds without a record after which new shards are looked for.
constexpr int kQuietRoundsMax = 25;

std::string object_of(std::string_view name, std::string_view value) {
  std::string text;
  JsonWriter json{text};
  json.begin_object();
  json.member(name, value);
  json.end_object();
  return text;
}

// The service has the streams of dynamodb.REGION.amazonaws.com at a host of their own.
data::Endpoint streams_endpoint(data::Endpoint endpoint) {
  if (endpoint.server.host.starts_with("dynamodb.")) endpoint.server.host.insert(0, "streams.");
  return endpoint;
}

class Watch {
 public:
  // `stream`: its ARN. REQUIRES: the words' format is not Auto.
  Watch(const data::Endpoint& endpoint, const WatchWords& words, std::string stream)
      : client_{streams_endpoint(endpoint)},
        words_{words},
        stream_{std::move(stream)},
        shards_{words.start} {}

  // Returns the exit status.
  int run() {
    int quiet_rounds = kQuietRoundsMax;
    while (!data::is_interrupted() && has_reader()) {
      if (quiet_rounds >= kQuietRoundsMax || has_ended_shard_) {
        if (const auto listed = list_shards(); !listed) return fail_with_hints(listed.error());
        quiet_rounds = 0;
      }
      const auto count = read_round();
      if (!count) return data::is_interrupted() ? 0 : fail_with_hints(count.error());
      if (output_end_) return status_of(*output_end_);
      quiet_rounds = *count == 0 ? quiet_rounds + 1 : 0;
      if (*count != 0 || has_ended_shard_) continue;
      if (words_.ends_at_latest || data::wait_interrupted(kPause)) return 0;
    }
    return 0;
  }

 private:
  tl::expected<void, Failure> list_shards() {
    has_ended_shard_ = false;
    data::PageCycle cycle;
    std::string last;
    do {
      const auto answer = client_.call_streams("DescribeStream", list_request(last));
      if (!answer) return tl::unexpected(answer.error());
      const JsonNode* const description = answer->find("StreamDescription");
      if (description == nullptr || description->kind() != JsonNode::Kind::Object)
        return tl::unexpected(Failure{"", "the response has no StreamDescription"});
      shards_.add(*description);
      last = data::text_in(*description, "LastEvaluatedShardId");
      if (!last.empty() && cycle.returns_to(last))
        return tl::unexpected(Failure{"", data::kEndlessPages});
    } while (!last.empty());
    shards_.end_list();
    return {};
  }

  // Of the page after the shard `last`; of the first one if it is empty.
  std::string list_request(std::string_view last) const {
    std::string body;
    JsonWriter json{body};
    json.begin_object();
    json.member("StreamArn", stream_);
    if (!last.empty()) json.member("ExclusiveStartShardId", last);
    json.end_object();
    return body;
  }

  // Reads a page of each shard. Returns the number of records.
  tl::expected<std::size_t, Failure> read_round() {
    std::size_t count = 0;
    for (StreamShard* const shard : shards_.readable()) {
      auto read = read_page(*shard);
      if (!read || output_end_) return read;
      count += *read;
    }
    return count;
  }

  tl::expected<std::size_t, Failure> read_page(StreamShard& shard) {
    if (shard.iterator.empty()) {
      const auto answer =
          client_.call_streams("GetShardIterator", shards_.iterator_request(stream_, shard));
      if (!answer) return tl::unexpected(answer.error());
      shard.iterator = data::text_in(*answer, "ShardIterator");
    }
    const auto answer =
        client_.call_streams("GetRecords", object_of("ShardIterator", shard.iterator));
    shard.iterator.clear();
    if (!answer) {
      // An old iterator, or records that have left the stream: the next round gets another one.
      const std::string& code = answer.error().code;
      if (code == "TrimmedDataAccessException") shard.read_from_start();
      if (code == "ExpiredIteratorException" || code == "TrimmedDataAccessException") return 0;
      return tl::unexpected(answer.error());
    }
    shard.iterator = data::text_in(*answer, "NextShardIterator");
    shard.is_read = shard.iterator.empty();
    has_ended_shard_ = has_ended_shard_ || shard.is_read;
    return show(shard, answer->find("Records"));
  }

  // Writes the page's lines. Returns the number of records.
  tl::expected<std::size_t, Failure> show(StreamShard& shard, const JsonNode* records) {
    if (records == nullptr || records->kind() != JsonNode::Kind::Array) return 0;
    std::string lines;
    for (const JsonNode& record : records->elements()) {
      const auto line = change_line(record, words_.format);
      if (!line) return tl::unexpected(Failure{"", line.error()});
      lines += *line + "\n";
      const JsonNode* const body = record.find("dynamodb");
      if (body != nullptr) shard.sequence = data::text_in(*body, "SequenceNumber");
    }
    if (const auto written = write_all(lines); !written) output_end_ = written.error();
    return records->elements().size();
  }

  DynamodbClient client_;
  const WatchWords& words_;
  const std::string stream_;
  StreamShards shards_;
  bool has_ended_shard_ = false;
  std::optional<OutputEnd> output_end_;
};

// The ARN of the table's stream.
tl::expected<std::string, Failure> stream_of(const data::Endpoint& endpoint,
                                             const std::string& table) {
  DynamodbClient client{endpoint};
  const auto answer = client.call("DescribeTable", object_of("TableName", table));
  if (!answer) return tl::unexpected(answer.error());
  const JsonNode* const description = answer->find("Table");
  const bool is_object = description != nullptr && description->kind() == JsonNode::Kind::Object;
  std::string arn{is_object ? data::text_in(*description, "LatestStreamArn") : ""};
  if (arn.empty()) return tl::unexpected(Failure{"", "table '" + table + "' has no stream"});
  return arn;
}

}  // namespace

int run_watch(const ClientOptions& options, const std::string& table, WatchWords words) {
  begin_output();
  data::watch_interrupts();
  auto stream = stream_of(options.endpoint, table);
  if (!stream) return fail_with_hints(stream.error());
  if (words.format == ChangeFormat::Auto)
    words.format = ::isatty(STDOUT_FILENO) != 0 ? ChangeFormat::Text : ChangeFormat::Json;
  return Watch{options.endpoint, words, *std::move(stream)}.run();
}

}  // namespace stator::client

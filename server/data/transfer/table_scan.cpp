#include "server/data/transfer/table_scan.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "protocol/json/json_writer.h"
#include "server/data/transfer/interrupt.h"
#include "server/data/transfer/json_text.h"
#include "server/data/transfer/page_cycle.h"

namespace stator::data {

tl::expected<void, Failure> scan_segment(DynamodbClient& client, std::string_view table,
                                         Segment segment, const PageTaker& take) {
  std::string head = "{\"TableName\":";
  append_json_string(head, table);
  head.append(",\"ConsistentRead\":true,\"Segment\":").append(std::to_string(segment.number));
  head.append(",\"TotalSegments\":").append(std::to_string(segment.total));
  head.append(",\"Limit\":").append(std::to_string(kScanPageItems));
  PageCycle cycle;
  for (std::string key = std::move(segment.start_key);;) {
    if (is_interrupted()) return tl::unexpected(Failure{"", "interrupted"});
    std::string body = head;
    if (!key.empty()) body.append(",\"ExclusiveStartKey\":").append(key);
    body += '}';
    const auto answer = client.call("Scan", body);
    if (!answer) return tl::unexpected(answer.error());
    const JsonNode* const items = answer->find("Items");
    const JsonNode* const last = answer->find("LastEvaluatedKey");
    if (items == nullptr || items->kind() != JsonNode::Kind::Array) {
      return tl::unexpected(Failure{"", "the endpoint's answer to Scan has no items"});
    }
    key.clear();
    if (last != nullptr) append_node_json(key, *last);
    if (!key.empty() && cycle.returns_to(key)) return tl::unexpected(Failure{"", kEndlessPages});
    if (auto taken = take(*items, key); !taken) return taken;
    if (key.empty()) return {};
  }
}

tl::expected<void, Failure> in_parallel(
    const Endpoint& endpoint, unsigned count,
    const std::function<tl::expected<void, Failure>(DynamodbClient& client, unsigned number,
                                                    const std::function<bool()>& is_over)>& work) {
  std::mutex mutex;
  std::optional<Failure> first;  // guarded by mutex
  std::atomic<bool> has_failed = false;
  const std::function<bool()> is_over = [&has_failed] { return has_failed.load(); };
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < count; ++number) {
    threads.emplace_back([&, number] {
      DynamodbClient client{endpoint, /*was_answered=*/true};
      auto done = work(client, number, is_over);
      if (done) return;
      has_failed = true;
      const std::lock_guard lock(mutex);
      if (!first) first = std::move(done).error();
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (first) return tl::unexpected(*std::move(first));
  return {};
}

}  // namespace stator::data

#include "server/data/transfer/item_writer.h"

#include <condition_variable>
#include <deque>
#include <thread>
#include <unordered_set>
#include <utility>

#include "protocol/json/json_writer.h"
#include "server/data/transfer/interrupt.h"
#include "server/data/transfer/json_text.h"

namespace stator::data {

namespace {

constexpr std::size_t kQueuedBatchesMax = 4;
constexpr std::chrono::milliseconds kLeftOverPause{50};
// Rounds in which the endpoint takes none of the remaining entries: about a minute.
constexpr int kLeftOverRoundsMax = 40;

using Batch = std::vector<Entry>;

void append_write(std::string& out, const Entry& entry) {
  out += entry.is_delete ? R"({"DeleteRequest":{"Key":)" : R"({"PutRequest":{"Item":)";
  out += entry.json;
  out += "}}";
}

// Whether the failure is about the entries themselves, so each is tried alone.
bool is_about_entries(const Failure& failure) {
  return failure.code == "ValidationException" || failure.code == "SerializationException" ||
         failure.code == "ItemCollectionSizeLimitExceededException";
}

std::size_t left_over_count(const JsonNode& left_over) {
  std::size_t count = 0;
  for (const JsonMember& table : left_over.members())
    if (table.value.kind() == JsonNode::Kind::Array) count += table.value.elements().size();
  return count;
}

std::optional<Failure> write_single(DynamodbClient& client, std::string_view table,
                                    const Entry& entry) {
  std::string body = "{\"TableName\":";
  append_json_string(body, table);
  body.append(entry.is_delete ? ",\"Key\":" : ",\"Item\":").append(entry.json).append("}");
  const auto answer = client.call(entry.is_delete ? "DeleteItem" : "PutItem", body);
  if (answer) return std::nullopt;
  return answer.error();
}

}  // namespace

std::optional<Failure> write_batch(DynamodbClient& client, std::string_view table,
                                   const std::vector<Entry>& batch) {
  std::string body = "{\"RequestItems\":{";
  append_json_string(body, table);
  char before = '[';
  body += ':';
  for (const Entry& entry : batch) {
    body += before;
    append_write(body, entry);
    before = ',';
  }
  body += "]}}";
  std::size_t left = batch.size();
  for (int rounds = 0;;) {
    const auto answer = client.call("BatchWriteItem", body);
    if (!answer) return answer.error();
    const JsonNode* const left_over = answer->find("UnprocessedItems");
    const std::size_t count = left_over != nullptr ? left_over_count(*left_over) : 0;
    if (count == 0) return std::nullopt;
    rounds = count < left ? 0 : rounds + 1;
    left = count;
    const bool is_over =
        rounds == kLeftOverRoundsMax || wait_interrupted(kLeftOverPause * (rounds + 1));
    if (is_over) return Failure{"", "the endpoint leaves items of every batch unprocessed"};
    body = "{\"RequestItems\":";
    append_node_json(body, *left_over);
    body += '}';
  }
}

// A connection with its thread and queue.
class ItemWriter::Lane {
 public:
  explicit Lane(ItemWriter& writer)
      : writer_{writer}, client_{writer.endpoint_, /*was_answered=*/true}, thread_{[this] {
          run();
        }} {}

  ~Lane() { join(); }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Call on the thread that adds.
  void add(Entry entry) {
    const bool is_full = batch_.size() == kBatchEntriesMax ||
                         bytes_ + entry.json.size() > kBatchBytesMax || keys_.contains(entry.key);
    if (is_full) flush();
    bytes_ += entry.json.size();
    keys_.insert(entry.key);
    batch_.push_back(std::move(entry));
  }

  void flush() {
    if (batch_.empty()) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [this] { return queue_.size() < kQueuedBatchesMax || writer_.is_stopped_; });
    queue_.push_back(std::exchange(batch_, {}));
    changed_.notify_all();
    keys_.clear();
    bytes_ = 0;
  }

  // Returns when the queue is empty or the writer is stopped.
  void join() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }

  void wake() {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }

 private:
  void run() {
    for (;;) {
      Batch batch;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock,
                      [this] { return !queue_.empty() || is_ending_ || writer_.is_stopped_; });
        if (writer_.is_stopped_ || queue_.empty()) return;
        batch = std::move(queue_.front());
        queue_.pop_front();
        changed_.notify_all();
      }
      if (is_interrupted()) return writer_.stop("");
      write(batch);
    }
  }

  void write(const Batch& batch) {
    writer_.rate_.pass(batch.size());
    auto failure = write_batch(client_, writer_.table_, batch);
    if (!failure) {
      writer_.written_ += batch.size();
      return;
    }
    if (!is_about_entries(*failure)) return writer_.stop(failure->text());
    // The batch has an invalid entry: write each alone to find it.
    for (const Entry& entry : batch) {
      if (writer_.is_stopped_) return;
      failure = write_single(client_, writer_.table_, entry);
      if (!failure) {
        ++writer_.written_;
      } else if (!is_about_entries(*failure)) {
        return writer_.stop(failure->text());
      } else if (!writer_.refuse(entry, failure->message)) {
        return writer_.stop("");
      }
    }
  }

  ItemWriter& writer_;
  DynamodbClient client_;
  Batch batch_;
  std::unordered_set<std::string> keys_;
  std::size_t bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> queue_;  // guarded by mutex_
  bool is_ending_ = false;   // guarded by mutex_
  std::thread thread_;       // last: it uses the others
};

ItemWriter::ItemWriter(const Endpoint& endpoint, std::string table, unsigned connections,
                       Rate& rate, Refused refused)
    : endpoint_{endpoint}, table_{std::move(table)}, rate_{rate}, refused_{std::move(refused)} {
  for (unsigned i = 0; i < connections; ++i) lanes_.push_back(std::make_unique<Lane>(*this));
}

ItemWriter::~ItemWriter() {
  is_stopped_ = true;
  for (const auto& lane : lanes_) lane->wake();
  for (const auto& lane : lanes_) lane->join();  // while all lanes exist
}

bool ItemWriter::add(Entry entry) {
  if (is_stopped_) return false;
  Lane& lane = *lanes_[std::hash<std::string>{}(entry.key) % lanes_.size()];
  lane.add(std::move(entry));
  return true;
}

bool ItemWriter::finish() {
  for (const auto& lane : lanes_) lane->flush();
  for (const auto& lane : lanes_) lane->join();
  return !is_stopped_;
}

std::string ItemWriter::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

bool ItemWriter::refuse(const Entry& entry, const std::string& why) {
  const std::lock_guard lock(mutex_);
  return refused_(entry, why);
}

void ItemWriter::stop(std::string why) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) failure_ = std::move(why);
  }
  is_stopped_ = true;
  for (const auto& lane : lanes_) lane->wake();
}

}  // namespace stator::data

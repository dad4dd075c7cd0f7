#include "tests/model/streams/streamed_table.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "engine/reports/throughput_figures.h"
#include "engine/throughput/throughput_state.h"
#include "tests/unit/engine/storage/harness/storage_fixture.h"

namespace stator::model {
namespace {

using test::Answer;
using test::unquoted;

constexpr std::uint64_t kKeys = 30;
constexpr std::size_t kSplitsMax = 5;  // partitions are never merged, and each is a shard
constexpr auto kRetention = std::chrono::hours(24);
constexpr const char* kService = R"({"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"})";

void set(std::map<std::string, std::string>& items, const std::string& key,
         const std::string& image) {
  if (image.empty()) {
    items.erase(key);
  } else {
    items[key] = image;
  }
}

std::string member_of(const std::string& json, const char* name) {
  return Answer{true, json, 0}.member(name);
}
std::string key_of(const std::string& item) {
  return unquoted(member_of(member_of(item, "pk"), "S"));
}

}  // namespace

StreamedTable::StreamedTable(test::StreamHarness& engine, std::mt19937_64& random, std::string name)
    : engine_(engine), random_(random), name_(std::move(name)) {
  engine_.ok("CreateTable", test::create_table_request(name_ + " (pk)"));
  switch_stream();
}

// ------------------------------------------------------------------------------------------------
// Changes

ItemWrite StreamedTable::random_write(const std::string& key) {
  const auto held = items_.find(key);
  return model::random_write(key, held == items_.end() ? "" : held->second, now().unix_s(),
                             random_);
}

std::vector<ItemWrite> StreamedTable::random_writes(std::size_t count) {
  const std::uint64_t first = pick(kKeys);
  std::vector<ItemWrite> writes;
  for (std::size_t i = 0; i < count; ++i)
    writes.push_back(random_write("k" + std::to_string((first + i) % kKeys)));
  return writes;
}

void StreamedTable::write() {
  const std::uint64_t dice = pick(10);
  if (dice == 0) return write_batch();
  if (dice == 1) return write_transaction();
  const ItemWrite write = random_write("k" + std::to_string(pick(kKeys)));
  const std::string statement = dice < 4 ? statement_of(write, name_) : "";
  if (statement.empty()) {
    engine_.ok(operation_of(write), request_of(write, name_));
  } else {
    engine_.ok("ExecuteStatement", statement);
  }
  note(write);
}

void StreamedTable::write_batch() {
  std::string elements;
  std::vector<ItemWrite> writes = random_writes(1 + pick(6));
  std::erase_if(writes, [](const ItemWrite& one) { return one.verb == ItemWrite::Verb::Update; });
  if (writes.empty()) return;
  for (const ItemWrite& one : writes)
    elements += (elements.empty() ? "" : ",") + batch_element_of(one);
  engine_.ok("BatchWriteItem", R"({"RequestItems":{")" + name_ + "\":[" + elements + "]}}");
  for (const ItemWrite& one : writes) note(one);
}

// With a condition that does not hold now and then, or sent once more with its token.
void StreamedTable::write_transaction() {
  const std::vector<ItemWrite> writes = random_writes(1 + pick(6));
  const bool holds = pick(4) != 0;
  std::string body = R"({"ClientRequestToken":"t)" + std::to_string(random_()) +
                     R"(","TransactItems":[{"ConditionCheck":{"TableName":")" + name_ +
                     R"(","Key":{"pk":{"S":"none"}},"ConditionExpression":")" +
                     (holds ? "attribute_not_exists" : "attribute_exists") + "(pk)\"}}";
  for (const ItemWrite& one : writes) body += "," + action_of(one, name_);
  body += "]}";
  if (!holds) {
    if (engine_.call("TransactWriteItems", body).ok) fail(body, "it should have been cancelled");
    return;
  }
  for (std::uint64_t times = 1 + pick(2); times > 0; --times)
    engine_.ok("TransactWriteItems", body);
  for (const ItemWrite& one : writes) note(one);
}

void StreamedTable::split_partition() {
  if (counts_.splits == kSplitsMax) return;
  Engine::Reader reader(engine_.engine());
  std::vector<ThroughputStats> figures;
  storage::unwrap(engine_.engine().look(reader, [&](const Snapshot& snapshot) -> Result<void> {
    STATOR_TRY(figures, throughput_figures(snapshot, Settings().isolation));
    return {};
  }));
  const capacity::Position boundary{.hash = static_cast<std::uint32_t>(pick(1U << 24))};
  for (const ThroughputStats& one : figures) {
    if (one.label.table != name_ || !one.index.empty()) continue;
    if (one.state->split_for_size(boundary, 0, now())) ++counts_.splits;
  }
}

void StreamedTable::note(const std::string& key, const std::string& after, bool is_expiry) {
  const auto held = items_.find(key);
  const std::string before = held == items_.end() ? "" : held->second;
  if (before == after) return;
  set(items_, key, after);
  if (open_stream_.empty()) return;
  streams_[open_stream_].changes.push_back({key, before, after, is_expiry, now()});
}

void StreamedTable::switch_stream() {
  constexpr std::array kViewTypes{"KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"};
  const std::string view_type = kViewTypes[pick(kViewTypes.size())];
  const bool enables = open_stream_.empty();
  const std::string specification =
      enables ? R"({"StreamEnabled":true,"StreamViewType":")" + view_type + "\"}"
              : R"({"StreamEnabled":false})";
  const std::string answer =
      engine_.ok("UpdateTable",
                 R"({"TableName":")" + name_ + R"(","StreamSpecification":)" + specification + "}");
  if (!enables) {
    streams_[open_stream_].end = items_;
    open_stream_.clear();
    return;
  }
  open_stream_ = unquoted(member_of(answer, "LatestStreamArn"));
  if (streams_.contains(open_stream_)) fail(open_stream_, "it was there before");
  streams_[open_stream_] = {view_type, items_, {}, {}};
}

void StreamedTable::switch_time_to_live() {
  has_time_to_live_ = !has_time_to_live_;
  engine_.ok("UpdateTimeToLive",
             R"({"TableName":")" + name_ +
                 R"(","TimeToLiveSpecification":{"AttributeName":"ttl","Enabled":)" +
                 (has_time_to_live_ ? "true}}" : "false}}"));
}

void StreamedTable::switch_index() {
  has_index_ = !has_index_;
  const std::string change =
      has_index_ ? R"({"Create":{"IndexName":"by_g","KeySchema":[{"AttributeName":"g",)"
                   R"("KeyType":"HASH"}],"Projection":{"ProjectionType":"ALL"}}})"
                 : R"({"Delete":{"IndexName":"by_g"}})";
  engine_.ok("UpdateTable", R"({"TableName":")" + name_ +
                                R"(","AttributeDefinitions":[{"AttributeName":"g",)"
                                R"("AttributeType":"S"}],"GlobalSecondaryIndexUpdates":[)" +
                                change + "]}");
}

// ------------------------------------------------------------------------------------------------
// Maintenance

// The first second at which the item is expired; empty: never.
std::optional<std::int64_t> StreamedTable::due_s(const std::string& item) const {
  const std::string number = unquoted(member_of(member_of(item, "ttl"), "N"));
  if (!has_time_to_live_ || number.empty()) return std::nullopt;
  return std::stoll(number) + 1;
}

void StreamedTable::maintained(bool is_all_done) {
  const Items stored = scan();
  const std::int64_t now_s = now().unix_s();
  std::vector<std::tuple<std::int64_t, std::size_t, std::string>> expired;  // as they are deleted
  for (const auto& [key, item] : items_) {
    const auto due = due_s(item);
    const bool is_due = due && *due <= now_s;
    if (stored.contains(key)) {
      if (is_all_done && is_due) fail(key, "it should have been deleted");
      continue;
    }
    if (!is_due) fail(key, "it is gone and was not expired");
    expired.emplace_back(*due, key.size(), key);
  }
  std::sort(expired.begin(), expired.end());
  for (const auto& [due, size, key] : expired) note(key, "", /*is_expiry=*/true);
  counts_.expired += expired.size();
  if (stored != items_) fail("the table", "an item is another one");
  // A late index follows a deletion of just now later.
  if (!is_all_done || !has_index_ || !expired.empty()) return;
  Items indexed = items_;
  std::erase_if(indexed, [](const auto& entry) { return member_of(entry.second, "g").empty(); });
  if (scan(R"(,"IndexName":"by_g")") != indexed) fail("the index", "it is not as the table");
  counts_.indexed += indexed.size();
}

StreamedTable::Items StreamedTable::scan(const std::string& more) {
  Items found;
  const std::string page = engine_.ok("Scan", R"({"TableName":")" + name_ + "\"" + more + "}");
  for (const std::string& item : test::elements_of(member_of(page, "Items")))
    found[key_of(item)] = item;
  return found;
}

// ------------------------------------------------------------------------------------------------
// Checks

void StreamedTable::check() {
  for (auto& [arn, stream] : streams_) check_stream(arn, stream);
  std::erase_if(streams_, [&](const auto& entry) {
    const Stream& stream = entry.second;
    return stream.end && stream.changes.empty();
  });
}

// All records that there are, in the order of their numbers.
std::vector<StreamedTable::Told> StreamedTable::read(const std::string& arn) {
  std::vector<Told> told;
  if (!engine_.call("DescribeStream", R"({"StreamArn":")" + arn + "\"}").ok) {
    if (arn == open_stream_) fail(arn, "the stream is not there");
    return told;
  }
  for (const auto& shard : engine_.shards(arn)) {
    for (const std::string& record : engine_.records(arn, shard.id, 1 + pick(50))) {
      told.push_back({.number = unquoted(member_of(record, "SequenceNumber")),
                      .key = key_of(member_of(record, "Keys")),
                      .event = unquoted(member_of(record, "eventName")),
                      .before = member_of(record, "OldImage"),
                      .after = member_of(record, "NewImage"),
                      .is_expiry = member_of(record, "userIdentity") == kService});
    }
  }
  std::sort(told.begin(), told.end());
  return told;
}

std::string StreamedTable::text_of(const Told& record) {
  return record.event + " " + record.key + record.before + ">" + record.after +
         (record.is_expiry ? " by the service" : "");
}

// As a record of the stream shows it.
std::string StreamedTable::text_of(const Change& change, const Stream& stream) {
  const char* event = change.before.empty() ? "INSERT" : change.after.empty() ? "REMOVE" : "MODIFY";
  return text_of(Told{.number = {},
                      .key = change.key,
                      .event = event,
                      .before = stream.shows_old() ? change.before : "",
                      .after = stream.shows_new() ? change.after : "",
                      .is_expiry = change.is_expiry});
}

void StreamedTable::check_stream(const std::string& arn, Stream& stream) {
  const std::vector<Told> told = read(arn);
  const Timestamp oldest = now().plus(-kRetention);
  if (told.size() > stream.changes.size()) fail(arn, "there are too many records");
  while (stream.changes.size() > told.size()) {
    const Change& gone = stream.changes.front();
    if (gone.time > oldest) fail(arn, "a record is gone too early");
    set(stream.base, gone.key, gone.after);
    stream.changes.pop_front();
  }
  for (std::size_t i = 0; i < told.size(); ++i) {
    const std::string text = text_of(told[i]);
    const std::string expected = text_of(stream.changes[i], stream);
    if (text != expected) fail(arn, "there is " + text + " instead of " + expected);
  }
  counts_.records += told.size();
  check_replay(arn, stream, told);
}

// What is told, put onto the table as it was, gives it as it is; taken back, as it was.
void StreamedTable::check_replay(const std::string& arn, const Stream& stream,
                                 const std::vector<Told>& told) {
  const Items end = stream.end ? *stream.end : scan();
  const auto keys = [](Items items) {
    for (auto& [key, item] : items) item.clear();
    return items;
  };
  Items forward = stream.base;
  for (const Told& record : told) {
    const bool is_removed = record.event == "REMOVE";
    set(forward, record.key, is_removed ? "" : stream.shows_new() ? record.after : "there");
  }
  const bool is_same = stream.shows_new() ? forward == end : keys(forward) == keys(end);
  if (!is_same) fail(arn, "replayed, it gives another table");
  ++counts_.replays;
  if (!stream.shows_old()) return;
  Items backward = end;
  for (auto record = told.rbegin(); record != told.rend(); ++record)
    set(backward, record->key, record->before);
  if (backward != stream.base) fail(arn, "taken back, it gives another table");
}

void StreamedTable::fail(const std::string& where, const std::string& what) const {
  throw std::runtime_error(name_ + ", " + where + ": " + what);
}

}  // namespace stator::model
